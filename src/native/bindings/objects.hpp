// Single Python objects: what they are, and how a message shows them.
#pragma once
#include <nanobind/nanobind.h>

#include <cstring>
#include <string>
#include <string_view>

namespace onlineboost {

inline bool is_type(PyObject* value, const char* name) { return std::strcmp(Py_TYPE(value)->tp_name, name) == 0; }

inline bool is_complex(PyObject* value) {
    return PyComplex_Check(value) || is_type(value, "numpy.complex64") || is_type(value, "numpy.clongdouble");
}

// False, without an exception, where the text is not UTF-8.
inline bool text_of(PyObject* value, std::string_view& text) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(value, &size);
    if (!bytes) {
        PyErr_Clear();
        return false;
    }
    text = {bytes, static_cast<std::size_t>(size)};
    return true;
}

// The number that the value is; false, without an exception, where it is none, or has no double. NumPy would also give
// the real part of a complex number, and a duration in whatever unit it has.
inline bool number_of(PyObject* value, double& number) {
    const bool plain = PyFloat_Check(value) || PyLong_Check(value);
    if (!plain && (is_complex(value) || is_type(value, "numpy.timedelta64"))) return false;
    number = PyFloat_AsDouble(value);
    if (number != -1.0 || !PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
}

// On one line, and short; of a value that cannot say what it is, its type.
inline std::string shown_object(PyObject* value) {
    namespace nb = nanobind;
    constexpr Py_ssize_t most = 60;
    const nb::object text = nb::steal(PyObject_Repr(value));
    const nb::object cut = nb::steal(text.is_valid() ? PyUnicode_Substring(text.ptr(), 0, most) : nullptr);
    std::string_view utf8;
    if (!cut.is_valid() || !text_of(cut.ptr(), utf8)) {
        PyErr_Clear();
        return std::string("<") + Py_TYPE(value)->tp_name + ">";
    }
    std::string shown(utf8);
    for (char& c : shown) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return PyUnicode_GetLength(text.ptr()) > most ? shown + "…" : shown;
}

}  // namespace onlineboost
