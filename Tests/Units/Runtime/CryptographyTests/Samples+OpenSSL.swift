@testable import Cryptography

/// Signatures that the `openssl` command of OpenSSL 3.0 made, by keys that were thrown away, for
/// the algorithms that the RFCs have no example of:
///
///     openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.pem
///     openssl dgst -sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest \
///         -sign rsa.pem message
///     openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out ec.pem
///     openssl dgst -sha384 -sign ec.pem message
extension Sample {
    static let made = [rs384, rs512, ps256, ps256WithZero, ps384, ps512, es384]

    static let message = "Martlet verifies what others have signed."

    static let modulus = hex(
        """
        ad6c16cd9994ae15601c48cf8e71c25a736e308513f47669a82e129ba7897cf2296c42877f0effab
        6487aa3cd5ffb70f7b8a997795e2888e42cc581893eaa14fe28f3ee332eefe14be9710b1e5224d7c
        feea891d34f0468a96abec882912532344d005b6f8cd3f08239f9014d15253158bbbe9d18f86ea8d
        fdd10ff047eb1e899adb119d0eb61c334f24052a5cf1d6d061fe123b0b85957debf9600d745e1ff8
        dcd1ecb95a3d1f9e8fe61a7c1a8d88beca5253b56096519300f9e40c3388ef8e789051bf995fb33a
        0e31260726daf25336a2940a19222f9a1499d6c320f4f98f7dc8ad10f1acbead8d280fdc79d2534a
        0210e2aaa6bbd207cbde8235b3aa9c6f
        """)

    static let rs384 = Sample(
        "openssl: RS384", .rsa(.pkcs1, .sha384), key: modulus, message: message,
        signature: hex(
            """
            a9fb33a252108d712113e0a5d7ca3d116e00f2f468c739f7096af3b862bb9596fdb8c1892ae41a28
            2230201e7714f830c75654bdc7cfcdfc14e0bf097d5283c513d4f2681d819c93ede6e4f75a5d160a
            93539da2873932287260deb6ec2789325e3a4d46b0dc46c5df9d98a406bb456bd873e47b54f1965a
            c268e88ffcfc3b340adcb2dfac5fd0bc25721aadeba9d27748987bac9f5503f18fa91deee9d6f6c3
            6a2210b1c82b5ea0952b42a36315da599e49ed077e6e1e154714569990e9bd54c22900f2c9dcea04
            bef040f05d407bd18d3ad8786644413756f640c79e39309926c6340d4268db2483e6ff1171fae158
            0c103f22465a9b1df4f4140f23b9c442
            """))

    static let rs512 = Sample(
        "openssl: RS512", .rsa(.pkcs1, .sha512), key: modulus, message: message,
        signature: hex(
            """
            70913263c03583e9b4a44a9070e8545d52279dd01ebf5ccdb7da1d00cdaafde0d28f64d4458efb65
            c7fe0e458b238945eeaa20b69d0f85e7562c8f36b8536ae35fa9ffa94688803fe9647213c61a7305
            527804c4fcb3fa7e2e78c7f35cde8fcead9761004487e5b18ba14f249aef35aec2624f40002dbbc7
            d87534a8691127696ce38b296747a337f6125dcf4340b3bfd39ff42381db74a7af6931a3d0d35e60
            76ebdfc9a3748de220e1ac6ccca36e54f5f64eb1420da8a49baf390cc475b122ce831cc850fee646
            466f7b1c12ccf133d857975e582f75ce63e3ff72747b4fe95b14e5033867e3c7e178a1ddc6805fb9
            2d3be9118dcd368766d8e6c7b1f69c3e
            """))

    static let ps256 = Sample(
        "openssl: PS256", .rsa(.pss, .sha256), key: modulus, message: message,
        signature: hex(
            """
            0a33f5d81a411ef9b4ea892a8e63f2c848a621b3bdecd50d2cf91336806e1b8e4b52c71550131a15
            1365f1b08c3e11853698d7883db53f8c86d66a2ccf0161f1aa5c286c33351ca05d913d18f20ded5a
            cb137c6345d4849b0443aefecb2e1704148e6fefd4f39ffbeef4773aa2b4fdff6a6e60006876ee90
            4e21b8121f90b3becc2695a5ef61864eea9cfd5053c04f26258764ae58f4705598bff37bc70771b2
            d2e86f32b819f0eab93e3971e019f339461b713841009618dc6b5ada81733350f1adf413297345a3
            78f78587d1364a50b2df615cb3b73de00b31c8ef1b2560f284f018d9bb6e0d3175696f7fedaa845b
            e3e585862f280976938ef8d34893d280
            """))

    /// Its first byte is zero: one in 256 is like that.
    static let ps256WithZero = Sample(
        "openssl: PS256, beginning with zero", .rsa(.pss, .sha256), key: modulus, message: message,
        signature: hex(
            """
            0096016db56c573f0629d392b74394322dbe1c018c5ce4055c7afe4e04c3ca76e7450169c9359a91
            b3c790bb25fff3cd7770943ff12e92195f0fadc1baa6580425f5f3cda72f645f3b7f8d84ea990b2b
            c557e3e95bc0035cc699b0abc362434733fbebcc09f17aaa1892b1d62e990f00ea3493c08822d7b8
            0e82365c4dd6fe7c888f24024612e08b496f6d490f8a52d9391e80d64c5a0a07a894885e7a606f1f
            e6668cd4c41b89493b088adad3475a79a0b682f244fcb56d6e372bdfcb0b98f7e76c6cc2f21e3747
            fc4f0be5d07d43af64b4706a94ca1675bc3996da92c0dcd868defcdd34bafced7231ded36ee43179
            01c5ffd4b582716023535a97bdca8380
            """))

    static let ps384 = Sample(
        "openssl: PS384", .rsa(.pss, .sha384), key: modulus, message: message,
        signature: hex(
            """
            5da9bc06d62dccb866dc6f8d6c5c247a539827438bf29bfaf0c57f48256deceb64218f0b93b5c785
            d410414605c70c2550557ce2ed2f371895a28da6dac9b6411e97e3c4b07f8a86d5b13c3b6593488e
            90c0cb431474226fefe015576407f2f995cfdd945e20cb282d30770347550f37dfa26eb2bf3ae3ec
            e3c6e340a723b2b011758d2cacfdb8465e609e1610fc2de23f539dab0ad44e5cee81614bad0cf378
            7006442fdfb6b77c9464c8c03dbe4612ae1e448393e7c6a68d1e48c56ae7cdebc6e9121e76529165
            0d0f836f25b7a314d83e9156e11bebb6f6e4fe586dd75289dce1c1249db5dcca632c7ee0be48c32b
            34a0152489c5a1ba265d58528521639d
            """))

    static let ps512 = Sample(
        "openssl: PS512", .rsa(.pss, .sha512), key: modulus, message: message,
        signature: hex(
            """
            927d59e649a91ea086aba98bf63cfe59547ae908618a1ef9357393ba132e77f83b984f81cee99ace
            a6aaf053237acb07b879f2373b7ca49a42a62002e15f3a6ea22a23ae5d48a7159f6aaa03567d9b7b
            b6661b1fb504810f269786d09e4fb432dafa55543d7d38db07e144d5017748214e9ff919017af8d0
            b9c3150bced61768f52282e66b52e6601305f6d06f66b852468ed00e452c1aafa570c8b85649211c
            18987f33aed96b29e672311fe34ee45e1b6e26c79f5a3692811fee45e99d9daac36b6a6ccdac0dc8
            61de479fa635c1022fc2bba454be5987441358627d5636745a264ede4e3a69b41d6a7f3659a0c558
            f9e5247176151cbd1ce1155834247080
            """))

    /// Not valid: the salt is 20 bytes long, and RFC 7518 says 32 (`rsa_pss_saltlen:20`).
    static let ps256WithShortSalt = Sample(
        "openssl: PS256 with a short salt", .rsa(.pss, .sha256), key: modulus, message: message,
        signature: hex(
            """
            3fdad4a75746ea0ae23ad8920573b7e291832b82ffb3fb2aba7ab9b7cc6ec8411f75563cf319b559
            163d6d05b1f8f6b8bb923c415e260e5455f4747f9161433c8bb6424b7263c034863517cd919eb118
            94a8c8153ed406e55047bc7a6a27185efb116babcee4a986b203f3551c0e0a67715bb0b9c1eb6b5f
            418db2af12f96fa80edde123dc69575f552f9e7ee909b64c18f423d01a368de352e716285c2f7057
            4258bc17f3f234451d528f38388ca755ab8dbef68ef46922a7c75ff775f3a04c5f18de87cf9847a7
            bd57ebc16ec60767ddb0621bb60b302b4ac0629260fa0b972708df3a79a1062d731fb0912bd30547
            168275b726d256ebe6e86c7745f2226a
            """))

    /// Not valid: MGF1 is by SHA-1 (`rsa_mgf1_md:sha1`).
    static let ps256WithOtherMask = Sample(
        "openssl: PS256 with another MGF1", .rsa(.pss, .sha256), key: modulus, message: message,
        signature: hex(
            """
            35e2fbd3d779583cf068f1c778b96c76e5f821cd54b242ae449d4d919d6666f14b1381a94dba940a
            f95c95da0329fca6dc04a08f25ac3f8059fa913001b75ae2242243b0f9ae3ef8db5c02f1d83ae1b7
            501b82c941d3bb9b9f42aea66347941b5172f64c0a30b7e4bc51100c928c4caeaa0b557a98af428f
            efc97da7d7780efd591d678804f94817424715b0ff719d39492adfdde498dec0a522bf1d500ca960
            4921abe85b740a6a7238cf99a3b15171924795ddc66c7c2af24858677eabf133d9dcce2a70db3d33
            c91cb8f7275d0ed2b4296bbf136f2a71a73fc69bfbeb9974f23548f51ff21cefed809f6639195e1d
            0f89e4eb43b0ecb44b2a603aef623826
            """))

    static let es384 = Sample(
        "openssl: ES384", .curve(.p384, .sha384),
        key: hex(
            """
            6a9bb5bd689c73418b77b9f358ea80e57705764c21171087d6e2f034abcc9b5d757d5ed3154b019a
            e556a4ad09b2bc1d0b9942186955a9741da213e81407b0cd862375331ab1de7afb7ead4cfb67b239
            a71c6a1af5af0a98f4643fa9e2746f4a
            """),
        message: message,
        signature: hex(
            """
            4d5fb4231580aed4ad2851ed5caf92e93a892a0a8764a7a0de8cde57b17db47e6ee44afc133cd133
            aa8f3b3c9b0135aab9538b8e1a141984c0a66b1e7c887bf177aee1f1697df9ba1211f4efda47b19f
            cbcef31ed83f2b94d13ddfd2cee18ce9
            """))
}
