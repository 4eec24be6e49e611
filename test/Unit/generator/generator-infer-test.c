//===- generator-infer-test.c - Type inference as MLIR registered it ------===//
//
// A builder leaves result types out exactly when MLIR can infer them. The
// generator decides that from ODS; here every bound op is compared with the
// interface that its registered C++ class implements.
//
//===----------------------------------------------------------------------===//

#include "build-check.h"

#include "mlir-c/Interfaces.h"

typedef struct {
  const char *name;
  bool infers;
} Decision;

static const Decision decisions[] = {
#include "infer/all.inc"
};

static void test_decisions(void **state) {
  BuildFixture *f = *state;
  size_t num_decisions = sizeof decisions / sizeof decisions[0];
  size_t num_inferred = 0, num_wrong = 0;
  for (size_t i = 0; i < num_decisions; i++) {
    MlirStringRef name = tile_str(decisions[i].name);
    assert_true(mlirContextIsRegisteredOperation(f->context, name));
    bool infers = mlirOperationImplementsInterfaceStatic(
        name, f->context, mlirInferTypeOpInterfaceTypeID());
    num_inferred += infers;
    if (infers == decisions[i].infers)
      continue;
    print_error("%s: generator %d, MLIR %d\n", decisions[i].name,
                decisions[i].infers, infers);
    num_wrong++;
  }
  print_message("%zu ops, %zu infer their result types, %zu decided wrongly\n",
                num_decisions, num_inferred, num_wrong);
  assert_int_equal(num_wrong, 0);
  // Neither kind is missing, nor most of the ops.
  assert_true(num_decisions > 500 && num_inferred > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {BUILD_TEST(test_decisions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
