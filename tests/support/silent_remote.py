"""A remote that accepts every connection and never answers."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SilentRemote:
    """Where the remote listens, and who has connected so far."""

    port: int
    connections: list[socket.socket] = field(default_factory=list)

    def url(self, scheme: str) -> str:
        """Return an address of the remote."""
        return f"{scheme}://127.0.0.1:{self.port}/x"


@contextmanager
def listening() -> Iterator[SilentRemote]:
    """Let a remote listen on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        remote = SilentRemote(server.getsockname()[1])
        thread = threading.Thread(target=_accept, args=(server, remote), daemon=True)
        thread.start()
        yield remote
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)
        for connection in remote.connections:
            connection.close()


def _accept(server: socket.socket, remote: SilentRemote) -> None:
    while True:
        try:
            remote.connections.append(server.accept()[0])
        except OSError:  # the server has been shut down
            return
