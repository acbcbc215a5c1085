"""What libFuzzer begins with: golden frames, samples of the documentation, and pieces of files.

A change of a format makes these older, not wrong: libFuzzer goes on from whatever it is given.
"""

import functools
import json
import re
import struct

from fuzzing import building

GOLDEN = building.ROOT / "Tests" / "Conformance" / "golden"
DOCS = building.ROOT / "docs"
FRAME_BYTES_MAX = 1_024
RECORD_BYTES_MAX = 200
HEADER_BYTES = 24


def of(name):
    make = globals().get("seeds_" + name.replace("-", "_"))
    return make() if make else []


@functools.cache
def all_frames():
    golden = json.loads((GOLDEN / "frames.json").read_text())
    return [bytes.fromhex(frame["hex"]) for frame in golden]


def frames():
    return [frame for frame in all_frames() if len(frame) <= FRAME_BYTES_MAX]


def parts(frame):
    """Type, count, fields and body of a frame."""
    count, fields = struct.unpack_from("<H", frame, 6)[0], struct.unpack_from("<H", frame, 18)[0]
    body = HEADER_BYTES + fields
    return frame[3], count, frame[HEADER_BYTES:body], frame[body:]


def records():
    """Short records as they were sealed, from the golden runs of them."""
    found = []
    for frame in all_frames():
        kind, count, _, body = parts(frame)
        if kind == 0x30:
            for _ in range(count):
                length = struct.unpack_from("<I", body)[0]
                found.append(body[:length])
                body = body[length:]
    return [record for record in found if len(record) <= RECORD_BYTES_MAX]


def run(data):
    """Bytes behind their length, as Script.run reads them."""
    return bytes([len(data)]) + data if len(data) < 255 else b"\xff" + struct.pack(
        "<H", len(data)) + data


def yaml_of(page):
    return re.findall(r"```yaml\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


# Wire

def seeds_wire():
    refused = json.loads((GOLDEN / "malformed.json").read_text())
    odd = [bytes.fromhex(frame["hex"]) for frame in refused["accepted"] + refused["refused"]]
    return [b"\0" + frame for frame in frames()] + [
        b"\1" + frame for frame in odd if len(frame) <= FRAME_BYTES_MAX]


def seeds_wire_parts():
    made = [bytes([2]) + record for record in records()]
    made += [bytes([3]) + record[48:] for record in records()]
    for number, frame in enumerate(frames()):
        _, _, fields, body = parts(frame)
        made += [b"\0" + fields, bytes([number % 10]) + body, bytes([1]) + body[28:]]
    return made


# Files

def segment(salt=b""):
    head = struct.pack("<8sIIQQQQ16x", b"MARTSEG1", 0, 1, 7, 0, 0, 1_700_000_000)
    frames_of = [struct.pack("<II", 0, len(record)) + salt + bytes(24) + record
                 + bytes(-len(record) % 8) for record in records()[:4]]
    return head + b"".join(frames_of)


def seeds_segment():
    salted = segment(bytes(8))
    return [b"\7\1" + segment(), b"\7\0" + segment() + bytes(24), b"\7\1" + segment()[:-9],
            b"\17\1" + salted, b"\17\0" + salted + bytes(24), b"\17\1" + salted[:-9]]


def seeds_log():
    stamp = struct.pack("<8sIIQQQIIQQ", b"MARTLOG1", 0, 1, 7, 0, 0, 3_000, 0, 5, 6)
    whole = b"\1" + run(segment())
    return [b"\1\7" + stamp + whole, b"\3\7" + stamp + whole,
            b"\1\7" + stamp + b"\1" + run(segment()[:64]) + b"\0" + run(segment())]


def seeds_floors():
    names = struct.pack("<QB", 5, 6) + b"images" + struct.pack("<QBB", 6, 6, 2) + b"imagesab"
    head = struct.pack("<8sIIQQQQQIHHIII20x", b"MARTFLR1", 0, 1, 7, 9, 8, 1, 2, 1, 1, 1, 1, 0, 0)
    page = struct.pack("<II", 0, 3) + bytes([9, 0, 0, 0, 0, 0]) + bytes(50)
    return [bytes([3, len(names)]) + head + names + page, bytes([1, len(names)]) + head + names]


def seeds_kept():
    node = struct.pack("<BBBBQ", 2, 2, 1, 0, 4) + b"n1" + struct.pack("<QQ", 5, 4)
    lives = struct.pack("<8sIIQI", b"MARTNOD2", 0, 1, 7, 1) + node
    made = [b"\2" + lives, b"\0" + lives]
    for frame in frames():
        kind, count, _, body = parts(frame)
        if kind == 0x45:
            # The first of its lines, and all the others as if they were one.
            orders = struct.pack("<8sIIQ", b"MARTPAC1", 0, 1, 9) + bytes(16) + body
            made.append(b"\3" + orders)
    return made


def journal(salt):
    head = struct.pack("<8sIIQ", b"MARTLETQ", 2 if salt else 1, 0, 1) + salt + bytes(8)
    put = struct.pack("<QQQQHH", 3, 1, 2, 1_700_000_000_000, 7, 1) + b"default" + b"k" + b"value"
    bodies = [(1, put), (2, put[:-5]), (3, struct.pack("<Q", 3)),
              (4, struct.pack("<QHH", 3, 404, 2) + b"no")]
    made = head
    for kind, body in bodies:
        made += struct.pack("<II", 0, 32 + len(salt) + len(body)) + salt
        made += struct.pack("<QQB7x", 0, 32, kind) + body
    return head, made


def seeds_journal():
    made = []
    for manner, salt in ((b"\7", bytes(8)), (b"\17", b"")):
        head, whole = journal(salt)
        made += [manner + whole, manner + whole[:-3], manner + head]
    return made


def seeds_torn_journal():
    _, whole = journal(b"")
    return [bytes([9, 0, 0, 0, 0, count]) + run(b"value") + run(whole[32:]) for count in (0, 1)]


def seeds_torn_log():
    frames_of = segment()[64:]
    return [bytes([9, 0, 0, 0, 0, count]) + run(b"key") + run(frames_of) for count in (0, 1)]


def seeds_disk():
    block = struct.pack("<7sBIIIIIHH", b"MARTDSK", ord("3"), 0, 4_096, 12_288, 16_384, 5, 0, 1)
    state = struct.pack("<8sIIQQQ", b"MARTDTL1", 0, 0, 1, 1, 2) + bytes(32)
    slot = struct.pack("<8sIIQII", b"MARTDSL1", 0, 32, 1, 0, 0) + bytes(64)
    header = struct.pack("<8sIIQQ", b"MARTDSG1", 0, 0, 1, 0)
    place = struct.pack("<8sIIQQQQ", b"MARTDCP1", 0, 0, 7, 3, 40, 11) + bytes(16)
    record = struct.pack("<IIHB", 0, 8 << 27 | 5, 1, 0) + bytes(21) + b"kvalue" + bytes(6)
    floors = b"MARTDFL1" + bytes(64)
    described = struct.pack("<IIH", 0, 1 << 27 | 5, 1 << 14) + bytes(18)
    described += b"k\x80\x09image/png\0\0value" + bytes(1)
    made = [block + bytes(220), state, slot * 2, header, place, bytes(44), record, floors, block]
    seeds = [bytes([piece]) + data for piece, data in enumerate(made)]
    return seeds + [bytes([6]) + described]


def seeds_tier():
    change = struct.pack("<BHHBB", 1, 3, 16, 3, 70)
    return [bytes([3, 0]) + change, bytes([5, 9]) + change * 3,
            bytes([7, 1]) + struct.pack("<BHHBB", 0, 1, 900, 0, 40)]


# Texts

def seeds_trace():
    return [b"\0\3time,key,size\r\n1,a,10\n\n 2.5 ,\tb c , 07 \n,d,4294967295",
            b"\1\x40" + b"1.6e9,k,1\nx,y\n-0.25,k,2",
            b"\3\7" + b"1," + b"~" * 4 + b",1\n2," + b"~" * 17 + b",2\n3,k,3"]


def seeds_allow_list():
    key = "0123456789abcdef" * 4
    text = (f"# name key roles\nn1 {key} node\nweb 1{key[1:]} read,write "
            f"sessions,images/t%3a,team-* 2027-01-31\nops 2{key[1:]} admin * "
            "2027-01-31T12:00:00Z ops=5000/s bytes=20MiB/s waiting=500\n").encode()
    short = [f"a {key} {roles} {patterns}\n".encode() for roles in ("read", "write,invalidate")
             for patterns in ("default", "team-*", "sessions/img:,default", "team-a/%FF%00z")]
    return [b"\5img:1" + text, b"\0" + text] + [b"\4img:" + text for text in short]


TEXTS = [
    ["250ms", "5us", "90s", "10m", "24h", "7d"], ["64MiB", "512B", "16KiB"],
    ["10GiB", "none"], ["40%", "100%", "2.5%"], ["0.5", "2"], ["none", "20MiB/s"],
    ["1000", "1000000"], ["/var/lib/martlet"],
    ["tcp://[::1]:7400", "ipc:///run/martlet/n1", "tcp://*:7400"],
    ["hotset:0.9:0.01", "zipf:0.99", "uniform", "latest", "sequential"],
    ["get:0.9,set:0.1", "ycsb-a", "scan:0.05,insert:0.95"],
    ["64B:0.7,1KiB..4KiB:0.3", "100B", "16B..1KiB"], ["0.5x", "max"],
    ["tcp://127.0.0.1:7400?key={key}", "ipc:///run/martlet/n1"], ["tcp://10.0.0.1:7400?key={key}"],
    ["# The key of web\npublic-key {key}\nsecret-key {secret}\n"], ["user-profiles"],
    ["1:41982"], ["{key}"], ["ignore-invalidations:7:n1"], ["2027-01-31T12:00:00.123Z"],
]


def seeds_texts():
    """In the order of the target's readings."""
    key = "7b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13"
    return [bytes([number]) + text.format(key=key, secret="11" * 32).encode()
            for number, texts in enumerate(TEXTS) for text in texts]


def seeds_cluster():
    nodes = [
        "nodes:\n  - {id: n1, shards: 2, weight: 2.5, memory: 1GiB, port: 7410}\n",
        "nodes:\n- id: n1\n  disk: 10GiB\n  disk-directory: /d\n  disk-write-limit: 20MiB/s\n",
        "publisher:\n  endpoint: tcp://127.0.0.1:7400\n  log: /l\n  log-sync: interval\n"
        "nodes:\n- id: n1\n",
        "nodes:\n- id: n1\nnamespaces:\n  a:\n    origin:\n      url: http://h/{key}\n"
        "      soft-timeout: 50ms\n      stale-if-error: 10m\n",
    ]
    return [text.encode() for text in yaml_of("configuration.md") + nodes]


def seeds_workload():
    shared = "defaults:\n  keys: 5\n  connections: 4\n  in-flight: 8\nphases:\n- name: a\n"
    phases = [
        shared + "  operations: 9\n  mix: get:0.9,insert:0.1\n",
        shared + "  fill: true\n- name: b\n  duration: 1s\n  rate: 5\n  key-size: 16B..64B\n",
        shared + "  duration: 1s\n  distribution: zipf:0.9\n  mix: scan:0.5,set:0.5\n",
    ]
    return [bytes([threads]) + text.encode() for threads in (0, 3)
            for text in yaml_of("load-testing.md") + phases]


def seeds_answer():
    heads = [
        "Cache-Control: max-age=60, stale-while-revalidate=30, s-maxage=\"5\"\nETag: \"v1\"\n"
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\nSurrogate-Key: a b\nContent-Length: 4\n",
        "Expires: Sunday, 06-Nov-94 08:50:37 GMT\nDate: Sun Nov  6 08:49:37 1994\nAge: 3\n"
        "Cache-Tag: a,b\nCache-Groups: \"g\", \"h\";x\nVary: *\nTransfer-Encoding: chunked\n",
        "Retry-After: 120\nX-Version: 7\nCache-Control: no-cache=\"ETag\", private, no-store\n"
        "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\nPragma: no-cache\n",
    ]
    made = []
    for status in (200, 304, 404, 429, 503):
        for manner, head in enumerate(heads):
            data = head.encode()
            made.append(struct.pack("<HBBBH", status, 2, manner * 9, 32, len(data)) + data
                        + b"body")
    return made


def seeds_template():
    urls = ["https://api.example:8443/users/{key}?of={namespace}", "http://[::1]/{+key}",
            "HTTP://h/a%2Fb/{key};x"]
    commands = ["/usr/bin/cat\n--\n/data/{key}", "psql\n-c\nselect '{key}'"]
    fields = ["Authorization: Bearer ${TOKEN}\nX-Home: ${HOME}", "X: ${BAD}"]
    bodies = ['{"id":"{key}"}', '{"a":"\\"b\\"{key}","n":"{namespace}"}',
              '["\\\\{key}"]', '{"x":"\\{key}"}']
    forms = ["id={key}&n={namespace}", "{key}"]
    return [bytes([manner]) + run(key) + text.encode()
            for key in (b"a/b c", b'"\\&=')
            for manner, texts in enumerate((urls, commands, fields, bodies, forms))
            for text in texts]


# HTTP

METHODS = ["GET", "HEAD", "PUT", "DELETE", "POST", "PURGE", "OPTIONS"]
FIELDS = {
    0: b"3:1042", 1: b"max-age=7, max-stale=9", 2: b'"v7", W/"a1"', 3: b"*", 4: b'"a1"',
    5: b"news front%20page", 6: b'"news", "front page"', 7: b"60000", 8: b"7", 9: b"quorum",
    10: b"?1", 11: b"Bearer abc.def.ghi", 12: b"https://a.example", 13: b"cross-site", 14: b"1:42",
    16: b"PUT",
}
TARGETS = [
    b"/v1/n/a/b%20c", b"/v1/n", b"/v1/n:batch", b"/v1/invalidate", b"/v1/explain/n/k",
    b"/v1/stream?namespace=images&prefix=images/t:&key=g&tag=news&after=1:42",
    b"/v1/stream?everything", b"/v1/cluster", b"http://h/v1/openapi.json",
]


def seeds_json():
    return [b'{"keys":["a",{"base64":"YQ=="}],"n":[1,-0,1.5e3,true,null],"s":"\\ud83d\\ude00"}',
            b'[[[[[[[[]]]]]]]]', b'18446744073709551615', b'{"a":{"b":[{}]}}']


def seeds_request():
    made = []
    for method in range(len(METHODS)):
        for target in TARGETS:
            made.append(bytes([method, 0, 0]) + target)
        for number, value in FIELDS.items():
            made.append(bytes([method, 1, number]) + run(value) + b"\1" + run(b"localhost:80")
                        + TARGETS[0])
    return made


def seeds_fields():
    texts = [FIELDS[2], FIELDS[1], FIELDS[5], FIELDS[6], b"aGk=", b"aGk_", b"a%20b",
             b"https://a.example:8443", FIELDS[11]]
    return [bytes([kind]) + text for kind, text in enumerate(texts)] + [
        bytes([2]) + FIELDS[6], bytes([7]) + b"http://[::1]:8080"]


def seeds_bodies():
    scopes = (b'"namespace":"n","keys":["a",{"base64":"/w=="}],"tags":["t"],"prefixes":["p"],'
              b'"namespaces":["m"],"everything":true')
    return [b"\0{" + scopes + b',"min_version":7,"soft":true,"wait":"quorum","timeout_ms":5e2}',
            b'\0{"tags":["t"],"dry_run":true}', b'\1{"keys":["a","b",{"base64":"AA=="}]}',
            b"\2{" + scopes + b',"after":"1:42","token":"t"}']


def seeds_web_token():
    header = json.dumps({"alg": "ES256", "kid": "k", "typ": "JWT"}).encode()
    grant = {"roles": ["read", "write"], "patterns": ["images", "s/u:", "team-*"]}
    claims = {"exp": 1_800_000_000, "nbf": 1_600_000_000.5, "aud": ["martlet"], "sub": "web",
              "martlet": grant}
    keys = {"keys": [
        {"kty": "EC", "crv": "P-256", "kid": "a", "use": "sig", "x": "eA", "y": "eQ"},
        {"kty": "OKP", "crv": "Ed25519", "kid": "b", "x": "eA"},
        {"kty": "RSA", "kid": "c", "alg": "RS256", "n": "_" * 342, "e": "AQAB"},
        {"kty": "oct", "kid": "d", "alg": "HS256", "k": "A" * 43},
    ]}
    made = [b"\0" + run(header) + run(json.dumps(claims).encode()) + b"signature"]
    return made + [b"\1e30.e30.", b"\2" + json.dumps(keys).encode()] + [
        b"\2" + json.dumps({"keys": [key]}).encode() for key in keys["keys"]]


def seeds_health():
    secret = b"0123456789abcdef"
    return [run(secret) + text for text in (
        b"Bearer " + secret, b"bearer 0123456789abcdeg", b"Basic x",
        b"application/openmetrics-text;version=1.0.0,text/plain;q=0.5,*/*;q=0.1")]


# Minds: each golden frame as an event, between some others.

def events(kind, settings, others, tail=b""):
    made = [bytes([setting]) + others for setting in settings]
    for number, frame in enumerate(frames()):
        type_, count, fields, body = parts(frame)
        event = bytes([kind, type_]) + struct.pack("<H", count) + run(fields) + run(body) + tail
        made.append(bytes([settings[number % len(settings)]]) + event + others)
    return made


def seeds_shard():
    others = bytes.fromhex("0502000001000a08000001" "0300000000010001" "09030b0c" "0a0001000100"
                           "0d0001020304" "11050b0c")
    return events(1, [0, 1, 2, 4, 12, 16, 36, 68, 128, 255], others, b"\2\1")


def seeds_publisher():
    others = bytes.fromhex("0300004000000100" "0a03" "0301ff03020100" "0a040d03" "0700020000010501"
                           "0e000f0000")
    return events(1, [0, 1, 2, 4, 5, 13, 31, 64, 127], others, b"\4\1")


def seeds_control():
    others = bytes.fromhex("0400" "0600000000b80bf4010000" "08000000b80b00" "0200000003010000"
                           "0c030e00000a0000000100")
    return events(0, [0, 1], others)


def seeds_follower():
    return [bytes.fromhex("000001000001000200f006000307000207"), bytes.fromhex("0102000300" * 4)]


# Words, so that libFuzzer need not find them letter by letter.

PAGES = {
    "cluster": ["configuration.md"], "workload": ["load-testing.md"],
    "texts": ["configuration.md", "load-testing.md"], "allow-list": ["security.md"],
    "answer": ["reading-through.md"], "template": ["reading-through.md"],
    "request": ["http.md", "pushes.md"], "fields": ["http.md"], "bodies": ["http.md", "pushes.md"],
    "web-token": ["http.md"],
}


def words(name):
    """What the pages about it show as code, each word once."""
    text = "\n".join((DOCS / page).read_text() for page in PAGES.get(name, []))
    code = re.findall(r"`([^`\n]+)`", text) + re.findall(r"```\w*\n(.*?)```", text, re.S)
    found = re.findall(r"[\w.:/%=*][\w.:/%=*-]{1,23}", " ".join(code))
    return sorted({word for word in found if word.isascii()})
