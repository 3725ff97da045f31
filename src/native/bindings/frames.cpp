#include "bindings/frames.hpp"

#include <cmath>
#include <cstring>

#include "text/time.hpp"

namespace onlineboost {

namespace nb = nanobind;
using text::Cell;
using text::Kind;

namespace {

bool text_of(PyObject* value, std::string_view& text) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(value, &size);
    if (!bytes) {
        PyErr_Clear();
        return false;
    }
    text = {bytes, static_cast<std::size_t>(size)};
    return true;
}

bool is_type(PyObject* value, const char* name) { return std::strcmp(Py_TYPE(value)->tp_name, name) == 0; }

std::string shown_object(PyObject* value) {
    std::string shown = nb::repr(nb::handle(value)).c_str();
    return shown.size() > 60 ? shown.substr(0, 60) + "…" : shown;
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
    if (PyBool_Check(value) || is_type(value, "numpy.bool") || is_type(value, "numpy.bool_")) {
        const bool set = PyObject_IsTrue(value) == 1;
        return cell(row, column, set ? "True" : "False", set ? Cell::kTrue : Cell::kFalse);
    }
    if (is_type(value, "NAType") || is_type(value, "NaTType")) return cell(row, column, {}, Cell::kMissing);
    if (PyObject_HasAttrString(value, "isoformat") || is_type(value, "numpy.datetime64")) {
        const bool array = !PyObject_HasAttrString(value, "isoformat");
        const nb::object made =
            nb::steal(array ? PyObject_Str(value) : PyObject_CallMethod(value, "isoformat", nullptr));
        if (!made.is_valid()) throw nb::python_error();
        if (!text_of(made.ptr(), text)) return wrong(column, "the time cannot be read.");
        return text == "NaT" ? cell(row, column, {}, Cell::kMissing) : cell(row, column, text, Cell::kString);
    }
    if (PyObject_HasAttrString(value, "__float__") || PyObject_HasAttrString(value, "__index__")) {
        const double number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            return wrong(column, "the value " + shown_object(value) + " is not a finite number up to 1e100.");
        }
        return this->number(row, column, number);
    }
    return wrong(column, "the value " + shown_object(value) + " is a " + Py_TYPE(value)->tp_name +
                             ": a cell is a number, a text, true or false, a time, or None.");
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

bool FrameReader::read(Row& row, std::size_t column, const text::ColumnView& view, std::size_t r) {
    if (view.codes) return columns[column].kind == Kind::kIgnored || coded(row, column, view, view.codes[r]);
    if (view.objects) return object(row, column, static_cast<PyObject*>(view.objects[r]));
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
