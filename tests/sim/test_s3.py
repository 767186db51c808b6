"""Runs in the objects of an S3-compatible server."""

from collections.abc import Iterator

import pytest
from small_runs import play

from persian_rummy.sim.check import check_run
from persian_rummy.sim.engines import EngineChoice
from persian_rummy.sim.run import record_outcome
from persian_rummy.sim.store import RunFolder

pytest.importorskip("s3fs", reason="s3fs is not installed")
moto_server = pytest.importorskip("moto.server", reason="moto[server] is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the server's libraries

FIELD = ("greedy", "random", "hunter")


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """Give the URL of a bucket that nothing lies in."""
    import fsspec

    server = moto_server.ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "test")
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        fsspec.filesystem("s3").mkdir("bucket")
        yield "s3://bucket"
    server.stop()


@pytest.mark.parametrize("kind", ["auto", "processes"])
def test_run__in_a_bucket__is_the_run_of_a_folder(bucket, tmp_path, kind):
    right = play(tmp_path / "run", *FIELD)
    place = f"{bucket}/runs/{kind}"
    engine = EngineChoice(kind, jobs=2)
    stopped = play(place, *FIELD, keep="sample=30", stop_after=2, engine=engine)
    assert stopped.stopped == "signal"
    outcome = play(place, *FIELD, keep="sample=30", engine=engine)
    assert (outcome.digest, outcome.stopped) == (right.digest, None)
    run = RunFolder(place)
    record_outcome(run, run.read_manifest(), outcome)
    assert check_run(run).faults == []
    part = run.parts()[0][0]
    run.storage.write(part.name, run.storage.read(part.name)[:-1])
    assert any(part.name in fault for fault in check_run(run).faults)
    assert play(place, *FIELD, keep="sample=30").digest == right.digest
