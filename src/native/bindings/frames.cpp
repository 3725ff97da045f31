#include "bindings/frames.hpp"

#include <cmath>

#include "bindings/objects.hpp"
#include "text/time.hpp"

namespace onlineboost {

namespace nb = nanobind;
using text::Cell;
using text::Kind;

namespace {

// As columns of durations have them: whole microseconds, cut towards 0.
double seconds_of(PyObject* value) {
    const nb::handle given(value);
    const auto part = [&](const char* name) { return nb::cast<std::int64_t>(given.attr(name)); };
    const std::int64_t seconds = part("days") * 86'400 + part("seconds");
    std::int64_t micros = part("microseconds");
    if (seconds < 0 && nb::hasattr(given, "nanoseconds") && part("nanoseconds") > 0) ++micros;
    constexpr std::int64_t most = std::int64_t{1} << 43;  // seconds whose microseconds are a 64-bit number
    if (std::abs(seconds) > most) return static_cast<double>(seconds);
    return static_cast<double>(seconds * 1'000'000 + micros) / text::kMicrosPerSecond;
}

// Whether a double has all that the number says.
bool plain_number(PyObject* value) {
    if (is_complex(value)) return false;
    if (!PyObject_HasAttrString(value, "__index__")) return PyObject_HasAttrString(value, "__float__");
    const nb::object made = nb::steal(PyNumber_Index(value));
    if (!made.is_valid()) throw nb::python_error();
    int beyond = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(made.ptr(), &beyond);
    return beyond == 0 && std::abs(whole) < 1LL << 53;
}

// Whether the value can be the key of a dict and says what it is: so its text identifies it.
bool is_name(PyObject* value) {
    if (PyBytes_Check(value) || PyObject_Hash(value) == -1) {
        PyErr_Clear();
        return false;
    }
    const PyTypeObject* type = Py_TYPE(value);
    return type->tp_repr != PyBaseObject_Type.tp_repr || type->tp_str != PyBaseObject_Type.tp_str;
}

}  // namespace

bool FrameReader::wrong(std::size_t column, std::string message) {
    problem(columns[column].name, std::move(message));
    return false;
}

// Seconds since 1970 where a time is expected.
bool FrameReader::number(Row& row, std::size_t column, double value) {
    return number_cell(row, column, columns[column].kind == Kind::kTime ? value * text::kMicrosPerSecond : value);
}

bool FrameReader::object(Row& row, std::size_t column, PyObject* value) {
    if (columns[column].kind == Kind::kIgnored) return true;
    std::string_view text;
    if (value == Py_None) return cell(row, column, {}, Cell::kMissing);
    if (PyUnicode_Check(value)) {
        if (!text_of(value, text)) return wrong(column, "the text is not UTF-8.");
        return cell(row, column, text, Cell::kString);
    }
    if (PyFloat_Check(value)) return number(row, column, PyFloat_AS_DOUBLE(value));
    const nb::object kept = nb::borrow(value);  // what follows may run Python, and so change the table
    if (PyBool_Check(value) || is_type(value, "numpy.bool") || is_type(value, "numpy.bool_")) {
        const bool set = PyObject_IsTrue(value) == 1;
        return cell(row, column, set ? "True" : "False", set ? Cell::kTrue : Cell::kFalse);
    }
    if (is_type(value, "NAType") || is_type(value, "NaTType")) return cell(row, column, {}, Cell::kMissing);
    if (is_type(value, "numpy.datetime64") || is_type(value, "numpy.timedelta64")) {
        const nb::object made =
            nb::handle(value)
                .attr("astype")(is_type(value, "numpy.datetime64") ? "datetime64[us]" : "timedelta64[us]")
                .attr("item")();
        if (PyLong_Check(made.ptr())) return wrong(column, "the time cannot be read.");
        return object(row, column, made.ptr());
    }
    if (PyObject_HasAttrString(value, "total_seconds")) return number(row, column, seconds_of(value));
    if (PyObject_HasAttrString(value, "isoformat")) {
        const nb::object made = nb::handle(value).attr("isoformat")();
        if (!text_of(made.ptr(), text)) return wrong(column, "the time cannot be read.");
        if (text == "NaT") return cell(row, column, {}, Cell::kMissing);
        if (double micros; PyObject_HasAttrString(value, "year") && !text::parse_time(text, micros))
            return wrong(column, "the time " + std::string(text) + " is not in the years 0 to 9999.");
        return cell(row, column, text, Cell::kString);
    }
    const bool names = columns[column].kind == Kind::kCategory || columns[column].kind == Kind::kHash;
    if (names && !plain_number(value) && is_name(value)) {
        const nb::object made = nb::str(nb::handle(value));
        if (!text_of(made.ptr(), text)) return wrong(column, "the text is not UTF-8.");
        return cell(row, column, text, Cell::kString);
    }
    const bool number = PyObject_HasAttrString(value, "__float__") || PyObject_HasAttrString(value, "__index__");
    if (number && !is_complex(value)) {
        double found = 0.0;
        if (number_of(value, found)) return this->number(row, column, found);
        return wrong(column, "the value " + shown_object(value) + " is not a finite number up to 1e100.");
    }
    return wrong(column, "the value " + shown_object(value) + " is a " + Py_TYPE(value)->tp_name +
                             ": a cell is a number, a text, true or false, a time, or None." +
                             (is_name(value) ? " Declare the column as a category to take its text." : ""));
}

// A category is looked up by its name once, and then by its code.
bool FrameReader::coded(Row& row, std::size_t column, const text::ColumnView& view, std::int32_t code) {
    if (code < 0) return cell(row, column, {}, Cell::kMissing);
    const auto at = static_cast<std::size_t>(code);
    std::int32_t& known = (*view.known)[at];
    if (known >= 0 && feature(known, 1.0)) return true;
    const std::size_t before = rows.data.size();
    if (!object(row, column, static_cast<PyObject*>(view.objects[at]))) return false;
    if (columns[column].kind == Kind::kCategory && rows.data.size() == before + 1) known = rows.indices.back();
    return true;
}

// A text is looked up by its address first: tables have few objects for many equal cells.
bool FrameReader::met(Row& row, std::size_t column, const text::ColumnView& view, void* value) {
    const std::size_t at = view.place(value);
    std::int32_t& known = (*view.known)[at];
    if (known >= 0 && (*view.met)[at] == value && feature(known, 1.0)) return true;
    const std::size_t before = rows.data.size();
    auto* object = static_cast<PyObject*>(value);
    if (!this->object(row, column, object)) return false;
    if (PyUnicode_Check(object) && columns[column].kind == Kind::kCategory && rows.data.size() == before + 1) {
        known = rows.indices.back();
        (*view.met)[at] = value;
    }
    return true;
}

bool FrameReader::read(Row& row, std::size_t column, const text::ColumnView& view, std::size_t r) {
    if (view.codes) return columns[column].kind == Kind::kIgnored || coded(row, column, view, view.codes[r]);
    if (view.objects) return met(row, column, view, view.objects[r]);
    return ColumnsReader::read(row, column, view, r);
}

void FrameReader::append(nb::handle given) {
    while (column_of_.size() < columns.size()) column_of_.id(columns[column_of_.size()].name);
    Row row;
    begin(row);
    bool whole = true;
    for (auto [key, value] : nb::cast<nb::dict>(given)) {
        std::string_view name;
        if (!PyUnicode_Check(key.ptr()) || !text_of(key.ptr(), name)) {
            problem("", "the key " + shown_object(key.ptr()) + " is not a text: columns have names.");
            whole = false;
        } else {
            const auto at = static_cast<std::size_t>(column_of_.id(name));
            if (at == columns.size()) {
                columns.emplace_back();
                columns.back().name = name;
            }
            whole = object(row, at, value.ptr());
        }
        if (!whole) break;
    }
    if (whole)
        end(row);
    else
        give_up(row);
    done(0, 1);
}

}  // namespace onlineboost
