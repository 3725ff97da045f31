"""One cluster of two worker processes for all tests of this folder."""

import os
import shutil
import sys

import pytest


def cluster():
    """A session on two workers with a process each."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.adaptive.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session


@pytest.fixture(scope="session")
def spark():
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if int(pytest.importorskip("pandas").__version__.split(".")[0]) >= 3:
        pytest.skip("Spark wants pandas below 3: install the extra `spark`")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    session = cluster()
    yield session
    session.stop()
