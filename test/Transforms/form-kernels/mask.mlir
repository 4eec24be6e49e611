// Which keys a query sees is followed through what is between the two products.
// RUN: %tile_opt_passes 'tile-apply-schedules{prepare=true},canonicalize,cse,tile-form-kernels{target=sm_90a}' -split-input-file -verify-diagnostics -o /dev/null %s

// A comparison of places, with an offset on either side.
#id = affine_map<(q, k) -> (q, k)>
func.func @offset(%q: tensor<300x16xbf16>, %k: tensor<300x16xbf16>, %v: tensor<300x16xbf16>) -> tensor<300x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %big = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<300x300xf32>
  %ew = tensor.empty() : tensor<300x300xbf16>
  %eo = tensor.empty() : tensor<300x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>] ins(%q, %k : tensor<300x16xbf16>, tensor<300x16xbf16>) outs(%f : tensor<300x300xf32>) -> tensor<300x300xf32>
  %l = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.constant 5 : index
    %k5 = arith.subi %j, %c : index
    %hidden = arith.cmpi sgt, %k5, %i : index
    %y = arith.select %hidden, %low, %x : f32
    linalg.yield %y : f32
  } -> tensor<300x300xf32>
  // expected-remark@+1 {{[tile-graph/mask] blocks of keys that no query sees are left out: a query sees keys up to 5 places after its own}}
  %w = linalg.softmax dimension(1) ins(%l : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<300x300xf32>) outs(%ew : tensor<300x300xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<300x300xbf16>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<300x16xf32>) -> tensor<300x16xf32>
  // expected-remark@+1 {{attention}}
  %r = linalg.matmul ins(%p, %v : tensor<300x300xbf16>, tensor<300x16xbf16>) outs(%g : tensor<300x16xf32>) -> tensor<300x16xf32>
  return %r : tensor<300x16xf32>
}

// -----

// Both bounds, as numbers of i32.
#id = affine_map<(q, k) -> (q, k)>
func.func @window(%q: tensor<300x16xbf16>, %k: tensor<300x16xbf16>, %v: tensor<300x16xbf16>) -> tensor<300x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %big = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<300x300xf32>
  %ew = tensor.empty() : tensor<300x300xbf16>
  %eo = tensor.empty() : tensor<300x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>] ins(%q, %k : tensor<300x16xbf16>, tensor<300x16xbf16>) outs(%f : tensor<300x300xf32>) -> tensor<300x300xf32>
  %l = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.constant 9 : i32
    %a = arith.index_cast %i : index to i32
    %b = arith.index_cast %j : index to i32
    %d = arith.subi %a, %b : i32
    %past = arith.cmpi sge, %a, %b : i32
    %near = arith.cmpi slt, %d, %c : i32
    %seen = arith.andi %past, %near : i1
    %y = arith.select %seen, %x, %low : f32
    linalg.yield %y : f32
  } -> tensor<300x300xf32>
  // expected-remark@+1 {{[tile-graph/mask] blocks of keys that no query sees are left out: a query sees keys from -8 to 0 places after its own}}
  %w = linalg.softmax dimension(1) ins(%l : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<300x300xf32>) outs(%ew : tensor<300x300xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<300x300xbf16>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<300x16xf32>) -> tensor<300x16xf32>
  // expected-remark@+1 {{attention}}
  %r = linalg.matmul ins(%p, %v : tensor<300x300xbf16>, tensor<300x16xbf16>) outs(%g : tensor<300x16xf32>) -> tensor<300x16xf32>
  return %r : tensor<300x16xf32>
}

// -----

// A number that is added, finite: every row sees itself.
#id = affine_map<(q, k) -> (q, k)>
func.func @added(%q: tensor<300x16xbf16>, %k: tensor<300x16xbf16>, %v: tensor<300x16xbf16>) -> tensor<300x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %big = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<300x300xf32>
  %ew = tensor.empty() : tensor<300x300xbf16>
  %eo = tensor.empty() : tensor<300x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>] ins(%q, %k : tensor<300x16xbf16>, tensor<300x16xbf16>) outs(%f : tensor<300x300xf32>) -> tensor<300x300xf32>
  %l = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sge, %i, %j : index
    %m = arith.select %seen, %z, %big : f32
    %y = arith.addf %x, %m : f32
    linalg.yield %y : f32
  } -> tensor<300x300xf32>
  // expected-remark@+1 {{[tile-graph/mask] blocks of keys that no query sees are left out: a query sees keys up to 0 places after its own}}
  %w = linalg.softmax dimension(1) ins(%l : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<300x300xf32>) outs(%ew : tensor<300x300xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<300x300xbf16>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<300x16xf32>) -> tensor<300x16xf32>
  // expected-remark@+1 {{attention}}
  %r = linalg.matmul ins(%p, %v : tensor<300x300xbf16>, tensor<300x16xbf16>) outs(%g : tensor<300x16xf32>) -> tensor<300x16xf32>
  return %r : tensor<300x16xf32>
}

// -----

// One minus a truth, times a low number; the truth is negated.
#id = affine_map<(q, k) -> (q, k)>
func.func @scaled(%q: tensor<300x16xbf16>, %k: tensor<300x16xbf16>, %v: tensor<300x16xbf16>) -> tensor<300x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %big = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<300x300xf32>
  %ew = tensor.empty() : tensor<300x300xbf16>
  %eo = tensor.empty() : tensor<300x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>] ins(%q, %k : tensor<300x16xbf16>, tensor<300x16xbf16>) outs(%f : tensor<300x300xf32>) -> tensor<300x300xf32>
  %l = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %one = arith.constant 1.0 : f32
    %true = arith.constant true
    %later = arith.cmpi slt, %i, %j : index
    %seen = arith.xori %later, %true : i1
    %n = arith.uitofp %seen : i1 to f32
    %u = arith.subf %one, %n : f32
    %m = arith.mulf %u, %big : f32
    %y = arith.addf %x, %m : f32
    linalg.yield %y : f32
  } -> tensor<300x300xf32>
  // expected-remark@+1 {{[tile-graph/mask] blocks of keys that no query sees are left out: a query sees keys up to 0 places after its own}}
  %w = linalg.softmax dimension(1) ins(%l : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<300x300xf32>) outs(%ew : tensor<300x300xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<300x300xbf16>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<300x16xf32>) -> tensor<300x16xf32>
  // expected-remark@+1 {{attention}}
  %r = linalg.matmul ins(%p, %v : tensor<300x300xbf16>, tensor<300x16xbf16>) outs(%g : tensor<300x16xf32>) -> tensor<300x16xf32>
  return %r : tensor<300x16xf32>
}

// -----

// A row of the first keys sees none, and its finite logits count.
#id = affine_map<(q, k) -> (q, k)>
func.func @finite(%q: tensor<300x16xbf16>, %k: tensor<300x16xbf16>, %v: tensor<300x16xbf16>) -> tensor<300x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %big = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<300x300xf32>
  %ew = tensor.empty() : tensor<300x300xbf16>
  %eo = tensor.empty() : tensor<300x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>] ins(%q, %k : tensor<300x16xbf16>, tensor<300x16xbf16>) outs(%f : tensor<300x300xf32>) -> tensor<300x300xf32>
  %l = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sgt, %i, %j : index
    %y = arith.select %seen, %x, %big : f32
    linalg.yield %y : f32
  } -> tensor<300x300xf32>
  %w = linalg.softmax dimension(1) ins(%l : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<300x300xf32>) outs(%ew : tensor<300x300xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<300x300xbf16>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<300x16xf32>) -> tensor<300x16xf32>
  // expected-remark@+2 {{[tile-graph/mask] every block of keys is multiplied: a row may see no key, and then its hidden keys count, whose logits are finite}}
  // expected-remark@+1 {{attention}}
  %r = linalg.matmul ins(%p, %v : tensor<300x300xbf16>, tensor<300x16xbf16>) outs(%g : tensor<300x16xf32>) -> tensor<300x16xf32>
  return %r : tensor<300x16xf32>
}

// -----

// What hides is no comparison of the two places.
#id = affine_map<(q, k) -> (q, k)>
func.func @parity(%q: tensor<300x16xbf16>, %k: tensor<300x16xbf16>, %v: tensor<300x16xbf16>) -> tensor<300x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %big = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<300x300xf32>
  %ew = tensor.empty() : tensor<300x300xbf16>
  %eo = tensor.empty() : tensor<300x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>] ins(%q, %k : tensor<300x16xbf16>, tensor<300x16xbf16>) outs(%f : tensor<300x300xf32>) -> tensor<300x300xf32>
  %l = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c2 = arith.constant 2 : index
    %n = arith.remui %j, %c2 : index
    // expected-remark@+1 {{[tile-graph/mask] every block of keys is multiplied: whether a key is hidden is no comparison of its place with that of the query}}
    %seen = arith.cmpi ne, %n, %i : index
    %y = arith.select %seen, %x, %low : f32
    linalg.yield %y : f32
  } -> tensor<300x300xf32>
  %w = linalg.softmax dimension(1) ins(%l : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<300x300xf32>) outs(%ew : tensor<300x300xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<300x300xbf16>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<300x16xf32>) -> tensor<300x16xf32>
  // expected-remark@+1 {{attention}}
  %r = linalg.matmul ins(%p, %v : tensor<300x300xbf16>, tensor<300x16xbf16>) outs(%g : tensor<300x16xf32>) -> tensor<300x16xf32>
  return %r : tensor<300x16xf32>
}

// -----

// Not low enough for a row of lower logits.
#id = affine_map<(q, k) -> (q, k)>
func.func @low(%q: tensor<300x16xbf16>, %k: tensor<300x16xbf16>, %v: tensor<300x16xbf16>) -> tensor<300x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %big = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<300x300xf32>
  %ew = tensor.empty() : tensor<300x300xbf16>
  %eo = tensor.empty() : tensor<300x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>] ins(%q, %k : tensor<300x16xbf16>, tensor<300x16xbf16>) outs(%f : tensor<300x300xf32>) -> tensor<300x300xf32>
  %l = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sge, %i, %j : index
    %few = arith.constant -1.0e+04 : f32
    %y = arith.select %seen, %x, %few : f32
    linalg.yield %y : f32
  } -> tensor<300x300xf32>
  %w = linalg.softmax dimension(1) ins(%l : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<300x300xf32>) outs(%ew : tensor<300x300xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<300x300xbf16>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<300x16xf32>) -> tensor<300x16xf32>
  // expected-remark@+2 {{[tile-graph/mask] every block of keys is multiplied: keys are hidden by a number above -60000, which may leave them a weight}}
  // expected-remark@+1 {{attention}}
  %r = linalg.matmul ins(%p, %v : tensor<300x300xbf16>, tensor<300x16xbf16>) outs(%g : tensor<300x16xf32>) -> tensor<300x16xf32>
  return %r : tensor<300x16xf32>
}

// -----

// A table that the front end has computed.
#id = affine_map<(q, k) -> (q, k)>
func.func @table(%q: tensor<4x16xbf16>, %k: tensor<4x16xbf16>, %v: tensor<4x16xbf16>) -> tensor<4x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %big = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<4x4xf32>
  %ew = tensor.empty() : tensor<4x4xbf16>
  %eo = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>] ins(%q, %k : tensor<4x16xbf16>, tensor<4x16xbf16>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %places = arith.constant dense<[[0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000], [0xFF800000, 0.0, 0.0, 0xFF800000], [0xFF800000, 0xFF800000, 0.0, 0.0]]> : tensor<4x4xf32>
  %l = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %places : tensor<4x4xf32>, tensor<4x4xf32>) outs(%es : tensor<4x4xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %y = arith.addf %x, %m : f32
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  // expected-remark@+1 {{[tile-graph/mask] blocks of keys that no query sees are left out: a query sees keys from -1 to 0 places after its own}}
  %w = linalg.softmax dimension(1) ins(%l : tensor<4x4xf32>) outs(%es : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<4x4xf32>) outs(%ew : tensor<4x4xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4x4xbf16>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<4x16xf32>) -> tensor<4x16xf32>
  // expected-remark@+1 {{attention}}
  %r = linalg.matmul ins(%p, %v : tensor<4x4xbf16>, tensor<4x16xbf16>) outs(%g : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

// Places that it has counted.
#id = affine_map<(q, k) -> (q, k)>
func.func @counted(%q: tensor<4x16xbf16>, %k: tensor<4x16xbf16>, %v: tensor<4x16xbf16>) -> tensor<4x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %big = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<4x4xf32>
  %ew = tensor.empty() : tensor<4x4xbf16>
  %eo = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>] ins(%q, %k : tensor<4x16xbf16>, tensor<4x16xbf16>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %places = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %l = linalg.generic {indexing_maps = [#id, affine_map<(q, k) -> (q)>, affine_map<(q, k) -> (k)>, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %places, %places : tensor<4x4xf32>, tensor<4xi32>, tensor<4xi32>) outs(%es : tensor<4x4xf32>) {
  ^bb0(%x: f32, %a: i32, %b: i32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sge, %a, %b : i32
    %y = arith.select %seen, %x, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  // expected-remark@+1 {{[tile-graph/mask] blocks of keys that no query sees are left out: a query sees keys up to 0 places after its own}}
  %w = linalg.softmax dimension(1) ins(%l : tensor<4x4xf32>) outs(%es : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<4x4xf32>) outs(%ew : tensor<4x4xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4x4xbf16>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<4x16xf32>) -> tensor<4x16xf32>
  // expected-remark@+1 {{attention}}
  %r = linalg.matmul ins(%p, %v : tensor<4x4xbf16>, tensor<4x16xbf16>) outs(%g : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}
