"""The Martlet protocol, version 1, in Python: encoders and strict decoders.

Written from docs/protocol.md alone. Bodies are plain dataclasses; `message.encode` and
`message.decode` turn whole frames into them and back.
"""
