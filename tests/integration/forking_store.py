"""A process that uses a store, forks, and goes on using it on both sides; run by a test."""

import os
import sys

from langgraph_memory import store as stores

HERE = ("user:1", "memories")


def main(url: str) -> int:
    with stores.open(url) as store:
        store.put(HERE, "before", {"text": "walrus"})
        store.search(HERE, query="walrus")
        child = os.fork()
        name = "parent" if child else "child"
        for number in range(20):
            store.put(HERE, f"{name} {number}", {"text": f"{name} walrus"})
            found = store.search(HERE, query="walrus", limit=100)
            if len(found) <= number:
                os._exit(3)
        if not child:
            store.close()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status):
            return 4
        return 0 if len(list(store.scan(HERE))) == 41 else 5


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
