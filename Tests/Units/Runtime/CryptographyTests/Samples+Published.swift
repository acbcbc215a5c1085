@testable import Cryptography

/// The examples of RFC 7515, appendix A, and of RFC 8037, appendix A.4. What is signed is the text
/// of header and payload, as in every JSON web token.
extension Sample {
    static let published = [hs256, rs256, es256, es512, edDSA]

    private static let claims = """
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19y\
        b290Ijp0cnVlfQ
        """

    static let hs256 = Sample(
        "RFC 7515, A.1: HS256", .secret(.sha256),
        key: base64URL(
            """
            AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1
            Z9CAow
            """),
        message: "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + claims,
        signature: base64URL("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))

    static let rs256 = Sample(
        "RFC 7515, A.2: RS256", .rsa(.pkcs1, .sha256),
        key: base64URL(
            """
            ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJ
            PMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0
            LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uD
            Zlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2
            PAcDTW9gb54h4FRWyuXpoQ
            """),
        message: "eyJhbGciOiJSUzI1NiJ9." + claims,
        signature: base64URL(
            """
            cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF
            5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK
            5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqt
            FZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrB
            p0igcN_IoypGlUPQGe77Rw
            """))

    static let es256 = Sample(
        "RFC 7515, A.3: ES256", .curve(.p256, .sha256),
        key: base64URL("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
            + base64URL("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"),
        message: "eyJhbGciOiJFUzI1NiJ9." + claims,
        signature: base64URL(
            """
            DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-K
            g6NU1Q
            """))

    static let es512 = Sample(
        "RFC 7515, A.4: ES512", .curve(.p521, .sha512),
        key: base64URL(
            """
            AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxc
            WceqwQGk
            """)
            + base64URL(
                """
                ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf6
                3e3kyMj2
                """),
        message: "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA",
        signature: base64URL(
            """
            AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO
            0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9E
            RBXukOXolLzeO_Jn
            """))

    static let edDSA = Sample(
        "RFC 8037, A.4: EdDSA", .ed25519,
        key: base64URL("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"),
        message: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
        signature: base64URL(
            """
            hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_M
            uM0KAg
            """))
}
