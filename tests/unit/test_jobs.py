"""Background work that survives its worker, is merged per subject, and is never done by two."""

import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from langgraph_memory import clock
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.jobs import JobQueue, Worker
from langgraph_memory.store import SQLiteMemoryStore

PATIENCE = 30


class Clock:
    def __init__(self):
        self.now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self):
        return self.now

    def advance(self, seconds):
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def time_now():
    now = Clock()
    with clock.set_to(now):
        yield now


@pytest.fixture
def file(tmp_path):
    return tmp_path / "memory.db"


@pytest.fixture
def store(file):
    with SQLiteMemoryStore(file) as store:
        yield store


@pytest.fixture
def queue(store):
    return JobQueue(store, "extract", debounce=5, longest_wait=20, lease=100, retry=10)


def test_a_job_is_due_after_the_debounce(queue, time_now):
    queue.request("anna", {"thread": "t1"})
    assert queue.claim() is None
    time_now.advance(5)
    job = queue.claim()
    assert (job.subject, job.payload) == ("anna", {"thread": "t1"})
    assert queue.claim() is None
    queue.finish(job)
    assert queue.waiting() == []


def test_requests_of_one_subject_are_one_job(queue, time_now):
    queue.request("anna", {"t1": 1})
    time_now.advance(4)
    queue.request("anna", {"t2": 1})
    time_now.advance(4)
    assert queue.claim() is None
    time_now.advance(1)
    assert queue.claim().payload == {"t1": 1, "t2": 1}


def test_it_does_not_wait_for_ever(queue, time_now):
    for _ in range(5):
        queue.request("anna")
        time_now.advance(4)
    assert queue.claim() is not None


def test_asked_for_while_it_runs_it_runs_once_more(queue, time_now):
    queue.request("anna", {"t1": 1})
    time_now.advance(5)
    job = queue.claim()
    queue.request("anna", {"t2": 1})
    time_now.advance(5)
    assert queue.claim() is None  # one at a time for one subject
    queue.finish(job)
    again = queue.claim()
    assert again.payload == {"t2": 1}  # The first is done.
    queue.finish(again)
    assert queue.ready(all_of_them=True) == []


def test_asked_for_after_it_was_done_it_is_a_new_job(queue, time_now):
    queue.request("anna", {"t1": 1})
    time_now.advance(5)
    queue.finish(queue.claim())
    queue.request("anna", {"t2": 1})
    time_now.advance(5)
    assert queue.claim().payload == {"t2": 1}


def test_a_worker_that_died_loses_its_lease_and_not_the_job(queue, time_now):
    queue.request("anna")
    time_now.advance(5)
    lost = queue.claim()
    time_now.advance(99)
    assert queue.claim() is None
    time_now.advance(1)
    taken = queue.claim()
    assert taken.subject == "anna"
    queue.finish(lost)  # Not its own any more.
    assert queue.waiting() != []
    queue.finish(taken)
    assert queue.waiting() == []


def test_a_lease_from_a_clock_that_was_wrong_ends(queue, time_now):
    time_now.advance(30 * 86_400)
    queue.request("anna")
    time_now.advance(5)
    lost = queue.claim()
    time_now.advance(-30 * 86_400)
    queue.request("anna")
    time_now.advance(5)
    assert queue.claim().subject == "anna"
    queue.finish(lost)  # Not its own any more.
    assert len(queue.waiting()) == 1


def test_a_failure_waits_longer_each_time(queue, time_now):
    queue.request("anna")
    time_now.advance(5)
    for wait in (10, 20, 40):
        queue.fail(queue.claim(), "no network")
        time_now.advance(wait - 1)
        assert queue.claim() is None
        time_now.advance(1)
    job = queue.claim()
    assert (job.attempts, job.error) == (3, "no network")
    queue.finish(job)
    queue.request("anna")
    assert queue.waiting()[0].attempts == 0


def test_jobs_outlive_the_process(file, time_now):
    with SQLiteMemoryStore(file) as store:
        JobQueue(store, "extract").request("用户 a.b@c", {"n": 1})
    time_now.advance(60)
    with SQLiteMemoryStore(file) as store:
        assert JobQueue(store, "other").claim() is None
        assert JobQueue(store, "extract").claim().subject == "用户 a.b@c"


def test_of_many_workers_one_has_the_job(file):
    done = []
    with SQLiteMemoryStore(file) as store:
        queue = JobQueue(store, "extract", debounce=0)
        for number in range(20):
            queue.request(f"user {number}")

        def work():
            with SQLiteMemoryStore(file) as own:
                mine = JobQueue(own, "extract", debounce=0)
                while (job := mine.claim()) is not None:
                    done.append(job.subject)
                    mine.finish(job)

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(done) == sorted(f"user {number}" for number in range(20))
        assert queue.waiting() == []


def test_many_requests_at_once_lose_nothing(store):
    queue = JobQueue(store, "extract", debounce=0)
    threads = [
        threading.Thread(target=queue.request, args=("anna", {str(number): number}))
        for number in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert queue.claim().payload == {str(number): number for number in range(12)}


def test_what_is_done_leaves_nothing(store, queue, time_now):
    for number in range(50):
        queue.request(f"user {number}")
    time_now.advance(5)
    while (job := queue.claim()) is not None:
        queue.finish(job)
    assert list(store.scan(("jobs",))) == []


def wait_until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def _leased_until(queue):
    return next((job.leased_until for job in queue.waiting("anna")), None)


class TestWorker:
    def test_it_works_in_the_background(self, store):
        queue = JobQueue(store, "extract", debounce=0)
        done = threading.Event()
        worker = Worker(queue, lambda job: done.set(), interval=0.01)
        worker.start()
        queue.request("anna")
        assert done.wait(10)
        worker.close()

    def test_flush_does_everything_now(self, queue):
        done = []
        worker = Worker(queue, lambda job: done.append(job.subject))
        for name in ("anna", "oscar"):
            queue.request(name)
        assert worker.flush() == 2
        assert sorted(done) == ["anna", "oscar"]
        assert worker.flush() == 0

    def test_a_failure_does_not_stop_the_others(self, queue, caplog):
        def work(job):
            if job.subject == "anna":
                raise OSError("no network")

        for name in ("anna", "oscar", "zoe"):
            queue.request(name)
        assert Worker(queue, work).flush() == 2
        [job] = queue.waiting()
        assert (job.subject, job.error) == ("anna", "OSError: no network")
        assert "anna" in caplog.text

    def test_one_that_hangs_holds_up_nobody_else(self, store):
        go_on, done = threading.Event(), threading.Event()

        def work(job):
            if job.subject == "anna":
                assert go_on.wait(PATIENCE)
            elif job.subject == "oscar":
                done.set()

        queue = JobQueue(store, "extract", debounce=0)
        worker = Worker(queue, work, interval=0.01)
        queue.request("anna")
        worker.start()
        wait_until(lambda: queue.waiting("anna")[0].lease)
        queue.request("oscar")
        assert done.wait(PATIENCE)
        queue.request("zoe")
        worker.flush(only="zoe")
        assert queue.waiting("zoe") == []
        assert worker.flush(patience=0.05) == 0
        assert [job.subject for job in queue.waiting()] == ["anna"]
        go_on.set()
        worker.flush()
        assert queue.waiting() == []
        worker.close()

    def test_flush_waits_for_what_has_begun_and_does_it_once(self, store):
        go_on, done = threading.Event(), []

        def work(job):
            assert go_on.wait(PATIENCE)
            done.append(dict(job.payload))

        queue = JobQueue(store, "extract", debounce=0)
        worker = Worker(queue, work, interval=0.01)
        queue.request("anna", {"t1": 1})
        worker.start()
        wait_until(lambda: queue.waiting("anna")[0].lease)
        queue.request("anna", {"t2": 1})
        threading.Timer(0.05, go_on.set).start()
        worker.flush()
        assert done == [{"t1": 1}, {"t2": 1}]
        worker.close()

    def test_several_at_a_time_and_one_per_subject(self, store):
        running, most, twice = [], [], []
        lock = threading.Lock()

        def work(job):
            with lock:
                twice.extend(each for each in running if each == job.subject)
                running.append(job.subject)
                most.append(len(running))
            time.sleep(0.005)
            with lock:
                running.remove(job.subject)

        queue = JobQueue(store, "extract", debounce=0)
        workers = [Worker(queue, work, threads=3, interval=0.01) for _ in range(2)]
        for worker in workers:
            worker.start()
        for number in range(60):
            queue.request(f"user {number % 20}", {str(number): number})
        workers[0].flush()
        for worker in workers:
            worker.flush()
            worker.close()
        assert queue.waiting() == []
        assert twice == []
        assert 1 < max(most) <= 12

    def test_no_request_is_lost_to_the_end_of_a_job(self, store):
        seen = set()
        queue = JobQueue(store, "extract", debounce=0)
        worker = Worker(queue, lambda job: seen.update(job.payload), interval=0.001)
        worker.start()
        for number in range(150):
            queue.request("anna", {str(number): number})
        worker.flush()
        worker.close()
        assert seen == {str(number) for number in range(150)}

    def test_the_lease_lasts_as_long_as_the_job_runs(self, queue, time_now):
        go_on = threading.Event()
        worker = Worker(queue, lambda job: go_on.wait(PATIENCE) and None, interval=0.01)
        queue.request("anna")
        time_now.advance(5)
        worker.start()
        for _ in range(4):  # As long as four leases.
            wait_until(lambda: _leased_until(queue) == time_now.now + timedelta(seconds=100))
            time_now.advance(90)
        wait_until(lambda: _leased_until(queue) == time_now.now + timedelta(seconds=100))
        time_now.advance(99)
        assert queue.claim() is None
        go_on.set()
        worker.flush()
        assert queue.waiting() == []
        worker.close()

    def test_one_that_hangs_is_given_up_and_leaves_its_place(self, queue, time_now, caplog):
        hanging, go_on, done = threading.Event(), threading.Event(), []

        def work(job):
            if job.subject == "anna" and not hanging.is_set():
                hanging.set()
                assert go_on.wait(PATIENCE)
            done.append(job.subject)

        worker = Worker(queue, work, threads=1, interval=0.01, longest=1_000)
        queue.request("anna")
        time_now.advance(5)
        worker.start()
        assert hanging.wait(PATIENCE)
        queue.request("oscar")
        for _ in range(11):
            time_now.advance(99)
            wait_until(lambda: (_leased_until(queue) or time_now.now) >= time_now.now)
        wait_until(lambda: done == ["oscar"])
        wait_until(lambda: [job.subject for job in queue.waiting()] == ["anna"])
        [job] = queue.waiting()
        assert (job.attempts, job.lease) == (1, None)
        assert "no end after" in job.error
        go_on.set()
        wait_until(lambda: done == ["oscar", "anna"])
        [left] = queue.waiting()  # What it did at last was not waited for.
        assert left == job
        time_now.advance(10)
        wait_until(lambda: queue.waiting() == [])
        assert done == ["oscar", "anna", "anna"]
        assert "hangs" in caplog.text
        worker.close()

    def test_close_waits_for_the_job_that_runs_and_leaves_the_rest(self, store):
        queue = JobQueue(store, "extract", debounce=0)
        begun = threading.Event()

        def work(job):
            begun.set()
            time.sleep(0.05)

        for number in range(50):
            queue.request(str(number))
        worker = Worker(queue, work, interval=0.01)
        worker.start()
        assert begun.wait(10)
        worker.close()
        left = len(queue.waiting())
        assert 0 < left < 50
        assert all(job.lease is None for job in queue.waiting())
        worker.start()  # It stays closed.
        assert len(queue.waiting()) == left


@pytest.mark.parametrize(
    "given", [{"debounce": -1}, {"debounce": 9, "longest_wait": 5}, {"lease": 0}, {"retry": -1}]
)
def test_times_that_make_no_sense(store, given):
    with pytest.raises(InvalidInputError, match="debounce"):
        JobQueue(store, "extract", **given)


def test_a_request_that_was_overtaken_changes_nothing_newer(queue):
    newer, older = {"at": "2026-03-01T12:00", "n": 2}, {"at": "2026-03-01T11:00", "n": 1}
    queue.request("anna", {"t1": newer})
    queue.request("anna", {"t1": older, "t2": older})
    [job] = queue.waiting()
    assert job.payload == {"t1": newer, "t2": older}


def test_what_is_left_to_other_workers_is_done_where_it_is_asked_for(queue):
    done = []
    worker = Worker(queue, lambda job: done.append(job.subject), takes=lambda job: False)
    queue.request("anna")
    assert worker.flush() == 0
    assert worker.flush(only="anna") == 1
    assert done == ["anna"]


def test_only_one_subjects_job_is_flushed(queue):
    done = []
    worker = Worker(queue, lambda job: done.append(job.subject))
    for subject in ("anna", "oscar"):
        queue.request(subject)
    assert worker.flush(only="oscar") == 1
    assert done == ["oscar"]


def test_a_job_that_is_not_ready_waits_until_it_is_or_is_asked_for(queue, time_now):
    worker = Worker(queue, lambda job: 3_600.0)
    queue.request("anna")
    assert worker.flush() == 0
    time_now.advance(3_599)
    assert queue.claim() is None
    queue.request("anna")
    time_now.advance(5)
    assert queue.claim().subject == "anna"


FORKING = """
import os, sys, threading, time
from langgraph_memory.jobs import JobQueue, Worker
from langgraph_memory.store import SQLiteMemoryStore

store = SQLiteMemoryStore(sys.argv[1])
queue = JobQueue(store, "extract", debounce=0)
done, begun, go_on = (threading.Event() for _ in range(3))

def work(job):
    (done if job.subject == "bob" else begun).set()
    if job.subject == "anna":
        go_on.wait()

worker = Worker(queue, work, interval=60)
queue.request("anna")
worker.start()
assert begun.wait(20)
time.sleep(0.5)  # No thread is to be in the database while the process forks.
told, tell = os.pipe()
if os.fork():
    go_on.set()
    worker.close()
    os.write(tell, b".")
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
os.read(told, 1)
queue.request("bob")
worker.start()
found = done.wait(20)
worker.flush(patience=1e9)
os._exit(0 if found else 3)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="This system has no fork.")
def test_a_process_that_was_forked_off_works_too(file):
    """What ran in the other process before is not waited for."""
    program = [sys.executable, "-c", FORKING, str(file)]
    assert subprocess.run(program, timeout=2 * PATIENCE, check=False).returncode == 0
