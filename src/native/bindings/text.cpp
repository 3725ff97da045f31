#include "bindings/text.hpp"

#include "bindings/frames.hpp"
#include "bindings/gil.hpp"
#include "bindings/owned.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "text/columns.hpp"
#include "text/delimited.hpp"
#include "text/hash.hpp"
#include "text/json.hpp"
#include "text/libsvm.hpp"
#include "text/number.hpp"
#include "text/relabel.hpp"
#include "text/vw.hpp"

namespace onlineboost {

namespace nb = nanobind;
using namespace text;

namespace {

using PlaceTuple = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
using ColumnTuple = std::tuple<std::string, int, std::int64_t>;

// The bytes of any buffer; while this lives, a bytearray cannot be resized.
class Bytes {
   public:
    explicit Bytes(nb::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
    }
    ~Bytes() { PyBuffer_Release(&view_); }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
    std::string_view text() const { return {static_cast<const char*>(view_.buf), static_cast<std::size_t>(view_.len)}; }

   private:
    Py_buffer view_;
};

// The cells of NumPy's array of objects, in a row.
class Objects {
   public:
    static bool are(nb::handle given) {
        return PyObject_CheckBuffer(given.ptr()) && nb::hasattr(given, "dtype") &&
               nb::cast<bool>(given.attr("dtype").attr("hasobject"));
    }
    explicit Objects(nb::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
        if (view_.ndim != 1 || view_.itemsize != sizeof(void*) || std::string_view(view_.format) != "O") {
            PyBuffer_Release(&view_);
            throw nb::value_error("a column is no array of objects");
        }
    }
    ~Objects() { PyBuffer_Release(&view_); }
    Objects(const Objects&) = delete;
    Objects& operator=(const Objects&) = delete;
    void* const* items() const { return static_cast<void* const*>(view_.buf); }
    std::size_t size() const { return static_cast<std::size_t>(view_.shape[0]); }

   private:
    Py_buffer view_;
};

nb::object str_of(std::string_view text) {
    PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

nb::object label_of(const Label& label) {
    switch (label.kind) {
        case Label::Kind::kInteger:
            return nb::int_(static_cast<std::int64_t>(label.number));
        case Label::Kind::kReal:
            return nb::float_(label.number);
        default:
            return str_of(label.text);
    }
}

PlaceTuple tuple_of(const Place& place) { return {place.bytes, place.lines, place.rows, place.bad}; }
Place place_of(const PlaceTuple& at) { return {std::get<0>(at), std::get<1>(at), std::get<2>(at), std::get<3>(at)}; }

Limits limits_of(std::size_t line) {
    Limits limits;
    limits.line = line;
    return limits;
}

Labels labels_of(int mode) { return static_cast<Labels>(mode); }

std::size_t parse(Reader& reader, nb::handle block, std::size_t offset, std::size_t stop, bool last,
                  std::size_t most_rows, std::int64_t most_bad) {
    const Bytes bytes(block);
    const std::string_view text = bytes.text();
    if (offset > stop || stop > text.size()) throw nb::value_error("the part to be read is outside the block");
    const GilRelease unlocked;
    return reader.parse(text.substr(offset, stop - offset), last, most_rows, most_bad);
}

// What views refer to, which stays where it is.
struct Held {
    std::deque<std::vector<std::int32_t>> known;
    std::deque<std::vector<const void*>> met;
    std::deque<Objects> arrays;
};

// Views into the arrays, which the list keeps alive; so nothing may be converted on the way.
ColumnView view_of(nb::handle given, std::size_t rows, Held& held) {
    using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Raw = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    constexpr std::size_t addresses = 1024;
    ColumnView view;
    if (given.is_none()) return view;
    const bool list = nb::isinstance<nb::list>(given);
    if (list || Objects::are(given)) {
        if (!list) held.arrays.emplace_back(given);
        if ((list ? nb::len(given) : held.arrays.back().size()) < rows) throw nb::value_error("a column is too short");
        view.objects =
            list ? reinterpret_cast<void* const*>(PySequence_Fast_ITEMS(given.ptr())) : held.arrays.back().items();
        view.known = &held.known.emplace_back(addresses, -1);
        view.met = &held.met.emplace_back(addresses);
        return view;
    }
    if (!nb::isinstance<nb::tuple>(given)) {
        const auto numbers = nb::cast<Numbers>(given, false);
        if (numbers.shape(0) < rows) throw nb::value_error("a column is too short");
        view.numbers = numbers.data();
        return view;
    }
    const auto parts = nb::borrow<nb::tuple>(given);
    if (parts.size() == 2) {
        const auto codes = nb::cast<Codes>(parts[0], false);
        const auto values = nb::cast<nb::list>(parts[1]);
        if (codes.shape(0) < rows) throw nb::value_error("a column is too short");
        for (std::size_t r = 0; r < rows; ++r)
            if (codes.data()[r] >= static_cast<std::int64_t>(values.size()))
                throw nb::value_error("a column's codes are out of range");
        view.codes = codes.data();
        view.objects = reinterpret_cast<void* const*>(PySequence_Fast_ITEMS(values.ptr()));
        view.known = &held.known.emplace_back(values.size(), -1);
        return view;
    }
    const auto offsets = nb::cast<Offsets>(parts[0], false);
    const auto bytes = nb::cast<Raw>(parts[1], false);
    if (offsets.shape(0) < rows + 1) throw nb::value_error("a column is too short");
    const std::int64_t* at = offsets.data();
    std::int64_t signs = at[0];
    for (std::size_t r = 0; r < rows; ++r) signs |= at[r + 1] - at[r];
    if (signs < 0 || static_cast<std::size_t>(at[rows]) > bytes.shape(0))
        throw nb::value_error("a column's offsets are out of range");
    view.offsets = offsets.data();
    view.bytes = reinterpret_cast<const char*>(bytes.data());
    view.end = view.bytes + bytes.shape(0);
    if (!parts[2].is_none()) {
        const auto valid = nb::cast<Raw>(parts[2], false);
        if (valid.shape(0) < rows) throw nb::value_error("a column is too short");
        view.valid = valid.data();
    }
    return view;
}

std::size_t append(FrameReader& reader, const nb::list& given, std::size_t start, std::size_t stop,
                   std::size_t most_rows, std::int64_t most_bad) {
    if (given.size() != reader.columns.size()) throw nb::value_error("there must be one view for each column");
    std::vector<ColumnView> views;
    Held held;
    bool objects = false;
    for (const nb::handle one : given) {
        views.push_back(view_of(one, stop, held));
        objects |= views.back().objects != nullptr;
    }
    if (objects) return reader.append(views, start, stop, most_rows, most_bad);
    const GilRelease unlocked;
    return reader.append(views, start, stop, most_rows, most_bad);
}

void append_dicts(FrameReader& reader, const nb::list& rows, std::int64_t most_bad) {
    for (const nb::handle row : rows) {
        if (reader.place.bad >= most_bad) return;
        reader.append(row);
    }
}

nb::tuple take(Reader& reader) {
    Rows rows = std::move(reader.rows);
    reader.rows = Rows{};
    nb::list problems;
    for (const Problem& one : rows.problems)
        problems.append(nb::make_tuple(one.line, str_of(one.column), str_of(one.message)));
    nb::object weights = nb::none();
    if (rows.weighted) weights = array_of(std::move(rows.weights));
    return nb::make_tuple(array_of(std::move(rows.data)), array_of(std::move(rows.indices)),
                          array_of(std::move(rows.starts)), array_of(std::move(rows.labels)), weights,
                          array_of(std::move(rows.lines)), problems);
}

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple relabelled(const Doubles& data, const Ints& indices, const Ints& starts,
                     const std::optional<Doubles>& weights, bool learn, const Longs& known, std::int64_t next) {
    const std::size_t rows = starts.shape(0) - 1;
    const auto require = [](bool condition) {
        if (!condition) throw nb::value_error("the batch is not a CSR matrix over the stream's names");
    };
    require(starts.shape(0) > 0 && starts.data()[0] == 0 && data.shape(0) == indices.shape(0) &&
            (!weights || weights->shape(0) == rows));
    for (std::size_t r = 0; r < rows; ++r) require(starts.data()[r] <= starts.data()[r + 1]);
    require(static_cast<std::size_t>(starts.data()[rows]) == data.shape(0));
    Relabelled made;
    {
        const GilRelease unlocked;
        made = relabel(data.data(), indices.data(), starts.data(), rows, weights ? weights->data() : nullptr, learn,
                       {known.data(), known.data() + known.shape(0)}, next);
    }
    return nb::make_tuple(array_of(std::move(made.data), made.size), array_of(std::move(made.indices), made.size),
                          array_of(std::move(made.fresh)), made.width);
}

}  // namespace

void bind_text(nb::module_& m) {
    using namespace nb::literals;

    nb::class_<Reader>(m, "Reader", "From blocks of bytes to rows of features.")
        .def("parse", &parse, "block"_a, "offset"_a, "stop"_a, "last"_a, "most_rows"_a, "most_bad"_a,
             nb::sig("def parse(self, block: object, offset: int, stop: int, last: bool, most_rows: int, most_bad: "
                     "int) -> int"),
             "Reads whole records until enough rows wait to be taken; the number of bytes that are done with.")
        .def("take", &take,
             "The rows that wait: data, indices, starts, labels' codes, weights or None, line numbers, problems.")
        .def(
            "rewind", [](Reader& self, const PlaceTuple& place) { self.rewind(place_of(place)); }, "place"_a,
            "Forgets the rows since a place (bytes, lines, rows, bad), which is where reading goes on.")
        .def_prop_ro(
            "place", [](const Reader& self) { return tuple_of(self.place); }, "Where the last whole record ended.")
        .def_prop_ro(
            "before_problem", [](const Reader& self) { return tuple_of(self.before_problem); },
            "Where the last malformed record begins.")
        .def_prop_ro(
            "stopped", [](const Reader& self) { return self.stopped; },
            "Whether parse() ended because enough was waiting.")
        .def_rw("buckets", &Reader::buckets, "If not 0, names are hashed to so many features.")
        .def_rw("most_features", &Reader::most_features, "A row with more features is malformed.")
        .def_rw("label_separator", &Reader::label_separator, "Between the labels of a set; a zero: one label per row.")
        .def_prop_ro("named", [](const Reader& self) { return self.named; })
        .def_prop_ro("memory", &Reader::memory, "Bytes that it holds for names.")
        .def_prop_ro("n_names", [](const Reader& self) { return self.names.size(); })
        .def(
            "names",
            [](const Reader& self, std::size_t start) {
                nb::list list;
                for (std::size_t id = start; id < self.names.size(); ++id) list.append(str_of(self.names[id]));
                return list;
            },
            "start"_a, nb::sig("def names(self, start: int) -> list[str]"),
            "The names of the features from `start` on.")
        .def(
            "labels",
            [](const Reader& self, std::size_t start) {
                nb::list list;
                for (std::size_t code = start; code < self.labels.all().size(); ++code)
                    list.append(label_of(self.labels.all()[code]));
                return list;
            },
            "start"_a, nb::sig("def labels(self, start: int) -> list[int | float | str]"),
            "What the codes from `start` on stand for.");

    nb::class_<LibsvmReader, Reader>(m, "LibsvmReader")
        .def(
            "__init__",
            [](LibsvmReader* self, int labels, std::size_t line) {
                new (self) LibsvmReader(labels_of(labels), limits_of(line));
            },
            "labels"_a, "longest_line"_a);
    nb::class_<VwReader, Reader>(m, "VwReader")
        .def(
            "__init__",
            [](VwReader* self, int labels, std::size_t line) {
                new (self) VwReader(labels_of(labels), limits_of(line));
            },
            "labels"_a, "longest_line"_a);

    nb::class_<TableReader, Reader>(m, "TableReader")
        .def_prop_rw(
            "columns",
            [](const TableReader& self) {
                std::vector<ColumnTuple> list;
                for (const Column& column : self.columns)
                    list.emplace_back(column.name, static_cast<int>(column.kind), column.setting);
                return list;
            },
            [](TableReader& self, const std::vector<ColumnTuple>& list) {
                self.columns.clear();
                self.weights_wanted = false;
                for (const auto& [name, kind, setting] : list) {
                    Column column;
                    column.name = name;
                    column.kind = static_cast<Kind>(kind);
                    column.setting = setting;
                    self.weights_wanted |= column.kind == Kind::kWeight;
                    self.columns.push_back(std::move(column));
                }
            },
            "Name, kind and setting of each column.")
        .def_prop_ro("changes", &TableReader::changes, "It grows with every column that is added or decided.")
        .def_rw("gaps", &TableReader::gaps, "Whether a missing number is NaN; otherwise it is absent.")
        .def_rw("forgiving", &TableReader::forgiving, "Whether a cell that does not fit its column is missing.")
        .def(
            "look", [](TableReader& self) { self.looking = true; }, "From now on, rows are only looked at.")
        .def(
            "decide",
            [](TableReader& self, const PlaceTuple& place) {
                self.decide();
                self.looking = false;
                self.rewind(place_of(place));
            },
            "place"_a, "Gives undecided columns the kind that the rows looked at suggest, and goes back.");
    nb::class_<DelimitedReader, TableReader>(m, "DelimitedReader")
        .def(
            "__init__",
            [](DelimitedReader* self, int labels, std::size_t line, char separator, bool header,
               std::vector<std::string> missing) {
                new (self) DelimitedReader(labels_of(labels), limits_of(line), separator, header);
                self->missing = std::move(missing);
            },
            "labels"_a, "longest_line"_a, "separator"_a, "header"_a, "missing"_a)
        .def_prop_ro("header", [](const DelimitedReader& self) { return self.header; })
        .def_prop_ro("has_header", &DelimitedReader::has_header)
        .def("settle", &DelimitedReader::settle, "The columns are known: reading may go on.");
    nb::class_<JsonReader, TableReader>(m, "JsonReader")
        .def(
            "__init__",
            [](JsonReader* self, int labels, std::size_t line, std::vector<std::string> missing) {
                new (self) JsonReader(labels_of(labels), limits_of(line));
                self->missing = std::move(missing);
            },
            "labels"_a, "longest_line"_a, "missing"_a);
    nb::class_<FrameReader, TableReader>(m, "ColumnsReader")
        .def(
            "__init__",
            [](FrameReader* self, int labels, std::vector<std::string> missing) {
                new (self) FrameReader(labels_of(labels), Limits{});
                self->missing = std::move(missing);
            },
            "labels"_a, "missing"_a)
        .def("rows", &append_dicts, "rows"_a, "most_bad"_a,
             nb::sig("def rows(self, rows: list, most_bad: int) -> None"), "Reads rows given as dicts.")
        .def("append", &append, "views"_a, "start"_a, "stop"_a, "most_rows"_a, "most_bad"_a,
             nb::sig("def append(self, views: list, start: int, stop: int, most_rows: int, most_bad: int) -> int"),
             "Reads rows until enough wait to be taken; the row to go on with. A view is None, an array of numbers, "
             "the tuple (offsets, bytes, validity or None), a list or array of objects, or (codes, list of objects).");

    m.def("relabel", &relabelled, "data"_a, "indices"_a, "starts"_a, "weights"_a.none(), "learn"_a, "known"_a,
          "next_id"_a,
          "A stream's ids become a model's: data and indices, ascending in each row, the ids that are new to the "
          "model, and one more than the largest.");
    m.def(
        "stable_hash", [](nb::bytes value) { return stable_hash({value.c_str(), value.size()}); }, "value"_a,
        "The hash behind hash:BITS and text:BITS; the same everywhere and for ever.");
    m.def(
        "parse_number",
        [](nb::bytes value) -> nb::object {
            double number;
            switch (parse_number({value.c_str(), value.size()}, number)) {
                case Number::kFinite:
                    return nb::float_(number);
                case Number::kBeyond:
                    return nb::str("beyond");
                default:
                    return nb::none();
            }
        },
        "value"_a, nb::sig("def parse_number(value: bytes) -> float | str | None"),
        "For tests: how the readers read a number.");
}

}  // namespace onlineboost
