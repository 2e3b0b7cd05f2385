"""Results in a JSON file, stored piece by piece: runs can be stopped, continued, and run side by side."""

import fcntl
import json


def read_results(record):
    """The results stored so far; nothing if there is no file yet."""
    return json.loads(record.read_text()) if record.is_file() else {}


def store_result(record, keys, value):
    """Put one value in its place, the other results left as another run may have stored them."""
    with open(record.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        results = read_results(record)
        place = results
        for key in keys[:-1]:
            place = place.setdefault(key, {})
        place[keys[-1]] = value
        # Under another name first: a run that is stopped while writing leaves the old file whole.
        written = record.with_suffix(".part")
        written.write_text(json.dumps(results, indent=1, default=float) + "\n")
        written.replace(record)
