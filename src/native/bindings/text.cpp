#include "bindings/text.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include "text/delimited.hpp"
#include "text/hash.hpp"
#include "text/libsvm.hpp"
#include "text/number.hpp"
#include "text/vw.hpp"

namespace onlineboost {

namespace nb = nanobind;
using namespace text;

namespace {

using PlaceTuple = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
using ColumnTuple = std::tuple<std::string, int, int>;

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

template <class T>
nb::object array_of(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

nb::object str_of(std::string_view text) {
    PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

nb::object label_of(const Label& label) {
    switch (label.kind) {
        case Label::Kind::kInteger: return nb::int_(static_cast<std::int64_t>(label.number));
        case Label::Kind::kReal: return nb::float_(label.number);
        default: return str_of(label.text);
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

std::size_t parse(Reader& reader, nb::handle block, std::size_t offset, std::size_t stop, bool last, std::size_t most_rows, std::int64_t most_bad) {
    const Bytes bytes(block);
    const std::string_view text = bytes.text();
    if (offset > stop || stop > text.size()) throw nb::value_error("the part to be read is outside the block");
    const nb::gil_scoped_release unlocked;
    return reader.parse(text.substr(offset, stop - offset), last, most_rows, most_bad);
}

nb::tuple take(Reader& reader) {
    Rows rows = std::move(reader.rows);
    reader.rows = Rows{};
    nb::list problems;
    for (const Problem& one : rows.problems) problems.append(nb::make_tuple(one.line, str_of(one.column), str_of(one.message)));
    nb::object weights = nb::none();
    if (rows.weighted) weights = array_of(std::move(rows.weights));
    return nb::make_tuple(array_of(std::move(rows.data)), array_of(std::move(rows.indices)), array_of(std::move(rows.starts)),
                          array_of(std::move(rows.labels)), weights, array_of(std::move(rows.lines)), problems);
}

}  // namespace

void bind_text(nb::module_& m) {
    using namespace nb::literals;

    nb::class_<Reader>(m, "Reader", "From blocks of bytes to rows of features.")
        .def("parse", &parse, "block"_a, "offset"_a, "stop"_a, "last"_a, "most_rows"_a, "most_bad"_a,
             nb::sig("def parse(self, block: object, offset: int, stop: int, last: bool, most_rows: int, most_bad: int) -> int"),
             "Reads whole records until enough rows wait to be taken; the number of bytes that are done with.")
        .def("take", &take, "The rows that wait: data, indices, starts, labels' codes, weights or None, line numbers, problems.")
        .def("rewind", [](Reader& self, const PlaceTuple& place) { self.rewind(place_of(place)); }, "place"_a,
             "Forgets the rows since a place (bytes, lines, rows, bad), which is where reading goes on.")
        .def_prop_ro("place", [](const Reader& self) { return tuple_of(self.place); }, "Where the last whole record ended.")
        .def_prop_ro("before_problem", [](const Reader& self) { return tuple_of(self.before_problem); }, "Where the last malformed record begins.")
        .def_prop_ro("stopped", [](const Reader& self) { return self.stopped; }, "Whether parse() ended because enough was waiting.")
        .def_prop_ro("named", [](const Reader& self) { return self.named; })
        .def_prop_ro("n_names", [](const Reader& self) { return self.names.size(); })
        .def(
            "names",
            [](const Reader& self, std::size_t start) {
                nb::list list;
                for (std::size_t id = start; id < self.names.size(); ++id) list.append(str_of(self.names[id]));
                return list;
            },
            "start"_a, nb::sig("def names(self, start: int) -> list[str]"), "The names of the features from `start` on.")
        .def(
            "labels",
            [](const Reader& self, std::size_t start) {
                nb::list list;
                for (std::size_t code = start; code < self.labels.all().size(); ++code) list.append(label_of(self.labels.all()[code]));
                return list;
            },
            "start"_a, nb::sig("def labels(self, start: int) -> list[int | float | str]"), "What the codes from `start` on stand for.");

    nb::class_<LibsvmReader, Reader>(m, "LibsvmReader")
        .def("__init__", [](LibsvmReader* self, int labels, std::size_t line) { new (self) LibsvmReader(labels_of(labels), limits_of(line)); },
             "labels"_a, "longest_line"_a);
    nb::class_<VwReader, Reader>(m, "VwReader")
        .def("__init__", [](VwReader* self, int labels, std::size_t line) { new (self) VwReader(labels_of(labels), limits_of(line)); }, "labels"_a,
             "longest_line"_a);

    nb::class_<TableReader, Reader>(m, "TableReader")
        .def_prop_rw(
            "columns",
            [](const TableReader& self) {
                std::vector<ColumnTuple> list;
                for (const Column& column : self.columns) list.emplace_back(column.name, static_cast<int>(column.kind), column.bits);
                return list;
            },
            [](TableReader& self, const std::vector<ColumnTuple>& list) {
                self.columns.clear();
                for (const auto& [name, kind, bits] : list) {
                    Column column;
                    column.name = name;
                    column.kind = static_cast<Kind>(kind);
                    column.bits = bits;
                    self.columns.push_back(std::move(column));
                }
            },
            "Name, kind and bits of each column.")
        .def("look", [](TableReader& self) { self.looking = true; }, "From now on, rows are only looked at.")
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
            [](DelimitedReader* self, int labels, std::size_t line, char separator, bool header, std::vector<std::string> missing) {
                new (self) DelimitedReader(labels_of(labels), limits_of(line), separator, header);
                self->missing = std::move(missing);
            },
            "labels"_a, "longest_line"_a, "separator"_a, "header"_a, "missing"_a)
        .def_prop_ro("header", [](const DelimitedReader& self) { return self.header; })
        .def_prop_ro("has_header", &DelimitedReader::has_header)
        .def("settle", &DelimitedReader::settle, "The columns are known: reading may go on.");

    m.def(
        "stable_hash", [](nb::bytes value) { return stable_hash({value.c_str(), value.size()}); }, "value"_a,
        "The hash behind hash:BITS and text:BITS; the same everywhere and for ever.");
    m.def(
        "parse_number",
        [](nb::bytes value) -> nb::object {
            double number;
            switch (parse_number({value.c_str(), value.size()}, number)) {
                case Number::kFinite: return nb::float_(number);
                case Number::kBeyond: return nb::str("beyond");
                default: return nb::none();
            }
        },
        "value"_a, nb::sig("def parse_number(value: bytes) -> float | str | None"), "For tests: how the readers read a number.");
}

}  // namespace onlineboost
