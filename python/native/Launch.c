//===- Launch.c - Calls of a kernel that has been called before -----------===//
//
// A Launcher is one kernel on one GPU. It knows what the arguments of a call
// were that Python has checked, compares those of the next call, and launches.
// Where something is not as it was it returns NotImplemented, and Python finds
// out what that means. Stable ABI of Python 3.10; tile_module_launch comes as
// an address, so that nothing is linked. Tensors whose type has DLPack's
// exchange API (version 1.2, torch from 2.10) say all by one function in C;
// others are asked for each of it.
//
//===----------------------------------------------------------------------===//
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include "Tile/Run.h"

enum { MAX_PARAMS = 32, MAX_RANK = 8, MAX_SYMBOLS = 16, ALIGNMENT_BYTES = 16 };

typedef bool (*LaunchFn)(TileModule *module, void *stream,
                         const TileLaunchArg *args, size_t num_args);

// What `__dlpack_c_exchange_api__` of a type points at, as dlpack.h 1.2 has it.
// What is not called here has no type.
typedef struct {
  uint32_t major, minor;
  void *older_api;
  void *allocate, *managed_from_object, *managed_to_object;
  int (*tensor_from_object)(void *object, TileDLTensor *out_tensor); // or null
  int (*current_stream)(int device_type, int32_t device_id, void **out_stream);
} ExchangeApi;

enum { EXCHANGE_MAJOR = 1, DEVICE_CUDA = 2 };

typedef struct {
  char kind; // 't' tensor, 'i' integer, 'f' float
  bool is_output;
  uint8_t code, bits;
  uint8_t given_code, given_bits; // of the tensor, by the exchange API
  int rank;
  int64_t dims[MAX_RANK]; // a size, or -1 - number of a symbol
  PyObject *dtype;        // of the tensor, by identity
  PyObject *options;      // of an output: keywords of `empty`
} Param;

typedef struct {
  PyObject_HEAD LaunchFn launch;
  TileModule *module;
  const ExchangeApi *api; // or null
  int32_t device_id;
  PyObject *types; // of tensors that are like each other
  PyObject *device, *stream, *empty;
  PyObject *data_ptr, *shape, *dtype, *is_contiguous, *get_device; // names
  // The kernel counts on multiples of 16 bytes: addresses and pitches; last
  // extents, too.
  bool is_aligned, has_whole_rows;
  int num_params, num_inputs, num_results;
  int results[MAX_PARAMS];
  Param params[MAX_PARAMS];
} Launcher;

// One call. What `values` holds is owned where the parameter is an output.
typedef struct {
  const Launcher *launcher;
  PyObject *values[MAX_PARAMS];
  int64_t symbols[MAX_SYMBOLS]; // -1: not known yet
  int64_t shapes[MAX_PARAMS][MAX_RANK];
  TileDLTensor tensors[MAX_PARAMS];
  TileLaunchArg args[MAX_PARAMS];
} Call;

//===-- Arguments ---------------------------------------------------------===//

// The value stays the owner's.
static bool attribute_is(PyObject *owner, PyObject *name, PyObject *wanted) {
  PyObject *value = PyObject_GetAttr(owner, name);
  Py_XDECREF(value);
  return value == wanted;
}

// Whether an extent is the one of the parameter.
static bool match_extent(Call *call, int64_t wanted, int64_t extent) {
  if (wanted >= 0)
    return extent == wanted;
  int64_t *symbol = &call->symbols[-1 - wanted];
  if (*symbol < 0)
    *symbol = extent;
  return *symbol == extent;
}

static bool read_shape(Call *call, int number) {
  const Param *param = &call->launcher->params[number];
  PyObject *shape =
      PyObject_GetAttr(call->values[number], call->launcher->shape);
  bool is_ok =
      shape && PyTuple_Check(shape) && PyTuple_Size(shape) == param->rank;
  for (int d = 0; is_ok && d < param->rank; d++) {
    int64_t extent = PyLong_AsLongLong(PyTuple_GetItem(shape, d));
    call->shapes[number][d] = extent;
    is_ok = extent >= 0 && match_extent(call, param->dims[d], extent);
  }
  Py_XDECREF(shape);
  return is_ok;
}

static bool read_address(Call *call, int number) {
  PyObject *address = PyObject_CallMethodObjArgs(
      call->values[number], call->launcher->data_ptr, NULL);
  call->tensors[number].data = address ? PyLong_AsVoidPtr(address) : NULL;
  Py_XDECREF(address);
  return address && !PyErr_Occurred();
}

// Rows without gaps: pitches are products of extents.
static bool is_aligned(const Call *call, int number) {
  const Param *param = &call->launcher->params[number];
  int64_t pitch_bytes = param->bits / 8;
  if ((uintptr_t)call->tensors[number].data % ALIGNMENT_BYTES != 0)
    return false;
  for (int d = param->rank - 1; d >= 0; d--) {
    if (call->shapes[number][d] == 0)
      return false;
    pitch_bytes *= call->shapes[number][d];
    bool counts = d > 0 || (param->rank == 1 && call->launcher->has_whole_rows);
    if (counts && pitch_bytes % ALIGNMENT_BYTES != 0)
      return false;
  }
  return true;
}

static void fill_tensor(Call *call, int number) {
  const Param *param = &call->launcher->params[number];
  TileDLTensor *tensor = &call->tensors[number];
  tensor->device.type = 2; // kDLCUDA
  tensor->device.id = 0;
  tensor->ndim = param->rank;
  tensor->dtype.code = param->code;
  tensor->dtype.bits = param->bits;
  tensor->dtype.lanes = 1;
  tensor->shape = call->shapes[number];
  tensor->strides = NULL;
  tensor->byte_offset = 0;
  call->args[number] = tile_arg_tensor(tensor);
}

static bool is_tensor(const Launcher *self, PyObject *value) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(self->types); i++)
    if ((PyObject *)Py_TYPE(value) == PyTuple_GetItem(self->types, i))
      return true;
  return false;
}

static bool is_type(const Param *param, const TileDLTensor *tensor) {
  return tensor->dtype.code == param->given_code &&
         tensor->dtype.bits == param->given_bits && tensor->dtype.lanes == 1;
}

// Address, extents and type by the exchange API.
static bool read_exchanged(Call *call, int number) {
  const Launcher *self = call->launcher;
  const Param *param = &self->params[number];
  TileDLTensor found;
  if (self->api->tensor_from_object(call->values[number], &found) != 0)
    return false;
  if (found.device.type != DEVICE_CUDA || found.device.id != self->device_id ||
      found.ndim != param->rank || !is_type(param, &found))
    return false;
  int64_t pitch = 1;
  for (int d = param->rank - 1; d >= 0; d--) {
    int64_t extent = found.shape[d];
    bool is_dense = !found.strides || extent <= 1 || found.strides[d] == pitch;
    if (!is_dense)
      return false;
    call->shapes[number][d] = extent;
    pitch *= extent;
  }
  for (int d = 0; d < param->rank; d++)
    if (!match_extent(call, param->dims[d], call->shapes[number][d]))
      return false;
  call->tensors[number].data = (char *)found.data + found.byte_offset;
  return true;
}

// The same by attributes and methods.
static bool read_attributes(Call *call, int number) {
  const Launcher *self = call->launcher;
  PyObject *value = call->values[number];
  if (!attribute_is(value, self->dtype, self->params[number].dtype) ||
      !read_shape(call, number))
    return false;
  PyObject *dense =
      PyObject_CallMethodObjArgs(value, self->is_contiguous, NULL);
  Py_XDECREF(dense);
  if (dense != Py_True)
    return false;
  PyObject *device = PyObject_CallMethodObjArgs(value, self->get_device, NULL);
  bool is_here =
      device && PyObject_RichCompareBool(device, self->device, Py_EQ) == 1;
  Py_XDECREF(device);
  return is_here && read_address(call, number);
}

static bool read_tensor(Call *call, int number) {
  const Launcher *self = call->launcher;
  if (!is_tensor(self, call->values[number]))
    return false;
  if (!(self->api ? read_exchanged(call, number)
                  : read_attributes(call, number)))
    return false;
  fill_tensor(call, number);
  return !self->is_aligned || is_aligned(call, number);
}

static bool read_number(Call *call, int number) {
  PyObject *value = call->values[number];
  if (call->launcher->params[number].kind == 'f') {
    call->args[number] = tile_arg_float(PyFloat_AsDouble(value));
    return !PyErr_Occurred();
  }
  if (!PyLong_Check(value))
    return false;
  call->args[number] = tile_arg_int(PyLong_AsLongLong(value));
  return !PyErr_Occurred();
}

// Allocates an output, whose sizes are known by now.
static bool make_output(Call *call, int number) {
  const Param *param = &call->launcher->params[number];
  PyObject *shape = PyTuple_New(param->rank);
  for (int d = 0; shape && d < param->rank; d++) {
    int64_t extent = param->dims[d];
    if (extent < 0)
      extent = call->symbols[-1 - extent];
    call->shapes[number][d] = extent;
    PyTuple_SetItem(shape, d, PyLong_FromLongLong(extent));
  }
  PyObject *positional = shape ? PyTuple_Pack(1, shape) : NULL;
  PyObject *value = positional ? PyObject_Call(call->launcher->empty,
                                               positional, param->options)
                               : NULL;
  Py_XDECREF(positional);
  Py_XDECREF(shape);
  call->values[number] = value;
  if (!value || !(call->launcher->api ? read_exchanged(call, number)
                                      : read_address(call, number)))
    return false;
  fill_tensor(call, number);
  return !call->launcher->is_aligned || is_aligned(call, number);
}

//===-- Calls -------------------------------------------------------------===//

static bool read_arguments(Call *call, PyObject *args) {
  const Launcher *self = call->launcher;
  Py_ssize_t next = 0;
  for (int i = 0; i < self->num_params; i++) {
    if (self->params[i].is_output)
      continue;
    call->values[i] = PyTuple_GetItem(args, next++);
    if (self->params[i].kind == 't' ? !read_tensor(call, i)
                                    : !read_number(call, i))
      return false;
  }
  for (int i = 0; i < self->num_params; i++)
    if (self->params[i].is_output && !make_output(call, i))
      return false;
  return true;
}

static bool find_stream(const Launcher *self, void **out_stream) {
  *out_stream = NULL;
  if (self->stream == Py_None)
    return true;
  if (self->api)
    return self->api->current_stream(DEVICE_CUDA, self->device_id,
                                     out_stream) == 0;
  PyObject *stream =
      PyObject_CallFunctionObjArgs(self->stream, self->device, NULL);
  if (!stream)
    return false;
  *out_stream = PyLong_AsVoidPtr(stream);
  Py_DECREF(stream);
  return !PyErr_Occurred();
}

static PyObject *take_results(const Call *call) {
  const Launcher *self = call->launcher;
  if (self->num_results == 0)
    return Py_NewRef(Py_None);
  if (self->num_results == 1)
    return Py_NewRef(call->values[self->results[0]]);
  PyObject *result = PyTuple_New(self->num_results);
  for (int i = 0; result && i < self->num_results; i++)
    PyTuple_SetItem(result, i, Py_NewRef(call->values[self->results[i]]));
  return result;
}

static PyObject *launcher_call(PyObject *object, PyObject *args,
                               PyObject *kwargs) {
  Launcher *self = (Launcher *)object;
  if ((kwargs && PyDict_Size(kwargs) > 0) ||
      PyTuple_Size(args) != self->num_inputs)
    return Py_NewRef(Py_NotImplemented);
  Call call;
  call.launcher = self;
  memset(call.values, 0, sizeof call.values);
  memset(call.symbols, 0xff, sizeof call.symbols);
  void *stream = NULL;
  PyObject *result = NULL;
  if (read_arguments(&call, args) && find_stream(self, &stream) &&
      self->launch(self->module, stream, call.args, (size_t)self->num_params))
    result = take_results(&call);
  for (int i = 0; i < self->num_params; i++)
    if (self->params[i].is_output)
      Py_XDECREF(call.values[i]);
  if (result)
    return result;
  PyErr_Clear(); // Python tries again, and says what is wrong
  return Py_NewRef(Py_NotImplemented);
}

//===-- Objects -----------------------------------------------------------===//

// (kind, is_output, dtype, code, bits, dims, options)
static bool read_param(PyObject *tuple, Param *out_param) {
  int kind = 0, is_output = 0;
  PyObject *dims = NULL;
  if (!PyArg_ParseTuple(tuple, "CpObbO!O", &kind, &is_output, &out_param->dtype,
                        &out_param->code, &out_param->bits, &PyTuple_Type,
                        &dims, &out_param->options))
    return false;
  out_param->kind = (char)kind;
  out_param->is_output = is_output;
  out_param->rank = (int)PyTuple_Size(dims);
  if (out_param->rank > MAX_RANK) {
    PyErr_SetString(PyExc_ValueError, "too many dimensions");
    return false;
  }
  for (int d = 0; d < out_param->rank; d++) {
    out_param->dims[d] = PyLong_AsLongLong(PyTuple_GetItem(dims, d));
    if (out_param->dims[d] < -MAX_SYMBOLS) {
      PyErr_SetString(PyExc_ValueError, "too many symbols");
      return false;
    }
  }
  Py_INCREF(out_param->dtype);
  Py_INCREF(out_param->options);
  return !PyErr_Occurred();
}

static int read_lists(Launcher *self, PyObject *params, PyObject *results) {
  Py_ssize_t num_params = PyTuple_Size(params);
  Py_ssize_t num_results = PyTuple_Size(results);
  if (num_params > MAX_PARAMS || num_results > MAX_PARAMS) {
    PyErr_SetString(PyExc_ValueError, "too many parameters");
    return -1;
  }
  for (Py_ssize_t i = 0; i < num_params; i++) {
    if (!read_param(PyTuple_GetItem(params, i), &self->params[i]))
      return -1;
    self->num_params++;
    self->num_inputs += !self->params[i].is_output;
  }
  for (Py_ssize_t i = 0; i < num_results; i++)
    self->results[i] = (int)PyLong_AsLong(PyTuple_GetItem(results, i));
  self->num_results = (int)num_results;
  return PyErr_Occurred() ? -1 : 0;
}

// The exchange API of a type, in a version that is known here; null: none.
static const ExchangeApi *find_api(PyObject *type) {
  PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
  const ExchangeApi *api =
      capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
  Py_XDECREF(capsule); // the type owns what it points at
  PyErr_Clear();
  while (api && api->major != EXCHANGE_MAJOR)
    api = api->older_api;
  bool has_all = api && api->tensor_from_object && api->current_stream;
  return has_all ? api : NULL;
}

// Takes the element types that tensors like `values` have.
static void use_api(Launcher *self, PyObject *values) {
  const ExchangeApi *api = find_api(PyTuple_GetItem(self->types, 0));
  for (int i = 0; api && i < self->num_params; i++) {
    TileDLTensor found;
    if (self->params[i].kind != 't')
      continue;
    if (api->tensor_from_object(PyTuple_GetItem(values, i), &found) != 0) {
      PyErr_Clear();
      api = NULL;
      continue;
    }
    self->params[i].given_code = found.dtype.code;
    self->params[i].given_bits = found.dtype.bits;
  }
  self->api = api;
}

// Launcher(launch, module, types, device, stream, empty, is_aligned,
//          has_whole_rows, params, results, values); tp_alloc gives zeroes.
static int launcher_init(PyObject *object, PyObject *args, PyObject *kwargs) {
  Launcher *self = (Launcher *)object;
  PyObject *launch, *module, *params, *results, *values;
  int is_aligned = 0, has_whole_rows = 0;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "OOO!OOOppO!O!O!", &launch, &module,
                        &PyTuple_Type, &self->types, &self->device,
                        &self->stream, &self->empty, &is_aligned,
                        &has_whole_rows, &PyTuple_Type, &params, &PyTuple_Type,
                        &results, &PyTuple_Type, &values))
    return -1;
  Py_INCREF(self->types);
  Py_INCREF(self->device);
  Py_INCREF(self->stream);
  Py_INCREF(self->empty);
  void *address = PyLong_AsVoidPtr(launch);
  memcpy((void *)&self->launch, (void *)&address, sizeof address);
  self->module = PyLong_AsVoidPtr(module);
  self->is_aligned = is_aligned;
  self->has_whole_rows = has_whole_rows;
  self->data_ptr = PyUnicode_InternFromString("data_ptr");
  self->shape = PyUnicode_InternFromString("shape");
  self->dtype = PyUnicode_InternFromString("dtype");
  self->is_contiguous = PyUnicode_InternFromString("is_contiguous");
  self->get_device = PyUnicode_InternFromString("get_device");
  self->device_id = (int32_t)PyLong_AsLong(self->device);
  if (PyErr_Occurred() || read_lists(self, params, results) < 0)
    return -1;
  use_api(self, values);
  return 0;
}

static void launcher_free(PyObject *object) {
  Launcher *self = (Launcher *)object;
  PyObject *owned[] = {self->types, self->device,        self->stream,
                       self->empty, self->data_ptr,      self->shape,
                       self->dtype, self->is_contiguous, self->get_device};
  for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
    Py_XDECREF(owned[i]);
  for (int i = 0; i < self->num_params; i++) {
    Py_XDECREF(self->params[i].dtype);
    Py_XDECREF(self->params[i].options);
  }
  PyTypeObject *type = Py_TYPE(object);
  PyObject_Free(object);
  Py_DECREF(type);
}

// Python keeps functions as pointers to void, which ISO C has not.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
static PyType_Slot launcher_slots[] = {
    {Py_tp_doc, "One kernel on one GPU, called with tensors and numbers."},
    {Py_tp_init, launcher_init},
    {Py_tp_call, launcher_call},
    {Py_tp_dealloc, launcher_free},
    {0, NULL},
};
#pragma GCC diagnostic pop

static PyType_Spec launcher_spec = {
    .name = "tile._launch.Launcher",
    .basicsize = sizeof(Launcher),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = launcher_slots,
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_launch",
    .m_doc = "Calls of kernels without the detour over Python.",
    .m_size = 0,
};

PyMODINIT_FUNC PyInit__launch(void) {
  PyObject *module = PyModule_Create(&definition);
  PyObject *type = module ? PyType_FromSpec(&launcher_spec) : NULL;
  if (!type || PyModule_AddObject(module, "Launcher", type) < 0) {
    Py_XDECREF(type);
    Py_XDECREF(module);
    return NULL;
  }
  return module;
}
