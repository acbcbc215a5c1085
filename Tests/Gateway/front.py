"""nginx before a gateway: a process of its own, with its files in the world's directory."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
from pathlib import Path
from typing import Dict, Iterator, List

from process_tools import free_ports, wait_until
from world import World, shared

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or "nginx"
LENGTH_MAX = "64m"

SERVERS: Dict[str, str] = {
    # As the manual of nginx begins: buffered both ways.
    "plain": "proxy_set_header Host localhost; proxy_pass http://gateway;",
    "unbuffered": "proxy_set_header Host localhost; proxy_request_buffering off; "
                  "proxy_buffering off; proxy_pass http://gateway;",
    # HTTP/1.0, as nginx speaks to servers behind it where nobody says more.
    "old": "proxy_http_version 1.0; proxy_set_header Host localhost; proxy_pass http://gateway;",
    # What nginx says without being told: the name of the upstream.
    "bare": "proxy_pass http://gateway;",
    "named": "proxy_set_header Host $host; proxy_set_header X-Forwarded-Host $host; "
             "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; "
             "proxy_set_header X-Forwarded-Proto $scheme; proxy_pass http://gateway;",
    "tls": "proxy_set_header Host $host; proxy_set_header X-Forwarded-Proto $scheme; "
           "proxy_pass http://gateway;",
    "cache": "proxy_set_header Host localhost; proxy_cache kept; proxy_cache_revalidate on; "
             "add_header X-Cache $upstream_cache_status always; proxy_pass http://gateway;",
}


_FRONTS: "Dict[World, Front]" = {}


def _furnish(world: World) -> None:
    world.gateway()
    _FRONTS[world] = Front(world).__enter__()


@contextlib.contextmanager
def fronted(program: str) -> Iterator["tuple[World, Front]"]:
    """The same world and nginx for all who end no part of them."""
    world = shared(program, _furnish)
    yield world, _FRONTS[world]
    world.check()


class Front:
    """One nginx with a server for each manner, each on a port of its own."""

    def __init__(self, world: World, *gateways: str) -> None:
        self.world = world
        self.gateways = gateways or ("gateway",)
        self.ports = dict(zip(SERVERS, free_ports(len(SERVERS))))
        self.path = world.directory / "nginx.conf"

    def __enter__(self) -> "Front":
        for each in ("body", "proxy", "fastcgi", "uwsgi", "scgi", "kept"):
            (self.world.directory / each).mkdir(exist_ok=True)
        self.path.write_text(self._text())
        self.world.run("nginx", [NGINX, "-c", str(self.path), "-p", str(self.world.directory)],
                       last="TERM")
        wait_until("nginx listens", self._listens)
        return self

    def __exit__(self, *_: object) -> None:
        # Asked, so that its workers go with it.
        process = self.world.processes.pop("nginx")
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(10)

    def url(self, name: str = "plain") -> str:
        """Of one of the servers."""
        return f"{'https' if name == 'tls' else 'http'}://127.0.0.1:{self.ports[name]}"

    def _listens(self) -> bool:
        self.world.check()
        try:
            # It opens them one after another, so the first says nothing about the last.
            for port in self.ports.values():
                socket.create_connection(("127.0.0.1", port), 1.0).close()
            return True
        except OSError:
            return False

    def reload(self) -> None:
        """As `nginx -s reload`: new workers, and the old ones end once nobody needs them."""
        old = self.workers()
        self.world.processes["nginx"].send_signal(signal.SIGHUP)
        wait_until("nginx has new workers", lambda: bool(set(self.workers()) - set(old)))

    def stop_old(self, kept: List[int]) -> None:
        """Ends workers that still serve connections from before a reload."""
        for each in kept:
            try:
                os.kill(each, signal.SIGTERM)
            except ProcessLookupError:
                pass

    def workers(self) -> List[int]:
        """The ids of its processes below the first."""
        pid = self.world.processes["nginx"].pid
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def _text(self) -> str:
        folder, world = self.world.directory, self.world
        chain, key = world.certificate()
        upstream = " ".join(
            f"server 127.0.0.1:{world.ports[each]} max_fails=0;" for each in self.gateways)
        servers = "\n".join(
            f"""    server {{
        listen 127.0.0.1:{self.ports[name]}{' ssl http2' if name == 'tls' else ''};
        location / {{ {what} }}
    }}""" for name, what in SERVERS.items())
        paths = "\n".join(
            f"    {name}_temp_path {folder}/{where};" for name, where in (
                ("client_body", "body"), ("proxy", "proxy"), ("fastcgi", "fastcgi"),
                ("uwsgi", "uwsgi"), ("scgi", "scgi")))
        return f"""daemon off;
{'user root;' if os.geteuid() == 0 else ''}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 2048; }}
http {{
    access_log off;
{paths}
    proxy_cache_path {folder}/kept keys_zone=kept:1m;
    client_max_body_size {LENGTH_MAX};
    ssl_certificate {chain};
    ssl_certificate_key {key};
    map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
    upstream gateway {{ {upstream} keepalive 16; }}
    proxy_http_version 1.1;
    proxy_read_timeout 20s;
    server_name_in_redirect off;
{servers.replace('location / {', 'location / { proxy_set_header Upgrade $http_upgrade; '
                 'proxy_set_header Connection $connection_upgrade;')}
}}
"""
