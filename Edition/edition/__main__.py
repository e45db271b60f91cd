"""The commands of Scripts/reading-edition."""

import argparse
import contextlib
import functools
import http.server
import subprocess
import sys
import time
import webbrowser

from facts import ROOT, Failure


def built():
    """Builds the site. The build takes long enough to say so."""
    from . import build, play  # needs the packages of requirements.txt, which --help does without
    print("reading-edition: building the site, which takes up to half a minute", file=sys.stderr, flush=True)
    try:
        return build.run()
    except Failure as failure:
        if subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "Sources/CRunLoop"], cwd=ROOT).returncode == 1:
            raise Failure(f"{failure}\nYou have changed Sources/CRunLoop. To see in {play.PAGE} what that does: Scripts/reading-edition play") from failure
        raise


def renew():
    """Gives play.html the loop as it is now."""
    from . import renew
    start = time.monotonic()
    page, places = renew.run()
    print("\n".join(f"{path}:{line}: your line" for path, line in places) or "the code is the edition's")
    print(f"{page.name} has this code after {time.monotonic() - start:.0f} s; open {page}, or load it again")


def serve(port):
    """Serves the site on the loopback address until Ctrl-C."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(built()))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise Failure(f"cannot listen on port {port}: {error.strerror}; choose another: serve --port N") from error
    address = f"http://127.0.0.1:{server.server_port}/"
    print(f"serving {address} until Ctrl-C", flush=True)
    webbrowser.open(address)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


def main():
    parser = argparse.ArgumentParser(prog="Scripts/reading-edition", usage="%(prog)s [COMMAND] [OPTIONS]")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    commands.add_parser("build", help="builds the edition; this is the default")
    commands.add_parser("play", help="gives play.html the loop as it is in your folder now", description="Makes the programs of play.html run the loop as it is in your folder now, for a loop that you have changed. The edition must have been built before the change.")
    serving = commands.add_parser("serve", help="builds it and serves it on the loopback address", description="Builds the edition and serves it on the loopback address.")
    serving.add_argument("--port", type=int, default=0, help="the port; the default is any free one")
    commands.add_parser("check", add_help=False, help="opens every kind of page in headless Chromium")
    arguments, rest = parser.parse_known_args()
    if rest and arguments.command != "check":
        parser.error(f"unknown argument: {rest[0]}")

    match arguments.command:
        case "serve":
            return serve(arguments.port)
        case "play":
            return renew()
        case "check":
            if not {"-h", "--help"} & set(rest):
                built()
            from . import check
            return check.main(rest)
        case _:
            start = time.monotonic()
            site = built()
            print(f"built in {time.monotonic() - start:.0f} s; open {site / 'index.html'}")


try:
    sys.exit(main())
except Failure as failure:
    sys.exit(f"reading-edition: {failure}")
