"""Text of the kernels that gate.py times: what a user would write, by tile sizes,
stages and threads. Every function returns the text of one host function NAME.
Extents are dynamic, so that one kernel serves all shapes, but for the columns of row
kernels, which torch.compile knows, too."""

SHARED = "#gpu.address_space<workgroup>"
STREAM = " {eviction = #tile.eviction<first>}"
GELU = """\
      %z2 = arith.mulf %z, %z : f32
      %p = math.fma %z2, %cubic, %root : f32
      %r = arith.mulf %z, %p : f32
      %t = math.tanh %r fastmath<afn> : f32
      %v = arith.mulf %z, %half : f32
      %y = math.fma %v, %t, %v : f32
"""
GELU_CONSTANTS = """\
    %half = arith.constant 0.5 : f32
    %root = arith.constant 0.797884561 : f32 // √(2/π)
    %cubic = arith.constant 0.0356774081 : f32 // 0.044715 √(2/π)
"""


def indices(*numbers):
    return "".join("  %%c%d = arith.constant %d : index\n" % (n, n)
                   for n in sorted({0, 1, 2, *numbers}))


def config(options):
    """A `tile.kernel_config` of these options; nothing for none."""
    text = ", ".join("%s = %s" % (k, v) for k, v in options.items())
    return "    tile.kernel_config {%s}\n" % text if text else ""


def epilogue(kind, m, n, acc, shared=False):
    """Ops on the accumulators: scale, bias, gelu (of the sum with a bias); `shared`:
    the bias lies in shared memory, not in registers."""
    if kind is None:
        return ""
    body = "      %%x = memref.load %%acc[%%i, %%j] : %s\n" % acc
    before = ""
    if kind == "scale":
        body += "      %y = arith.mulf %x, %scale : f32\n"
    else:
        row = "memref<%dx%s>" % (n, "bf16, " + SHARED if shared else "f32, #tile.fragment")
        before = """\
    %%row = tile.alloc : %s
    %%window = tile.region %%bias[%%n] [%d] : memref<?xbf16>
    tile.copy %%window to %%row : !tile.region<%dxbf16>, %s
""" % (row, n, n, row)
        body += "      %%%s = memref.load %%row[%%j] : %s\n" % ("h" if shared else "b", row)
        if shared:
            body += "      %b = arith.extf %h : bf16 to f32\n"
        body += "      %%%s = arith.addf %%x, %%b : f32\n" % ("z" if kind == "gelu" else "y")
        if kind == "gelu":
            before, body = before + GELU_CONSTANTS, body + GELU
    return before + """\
    tile.parallel (%%i, %%j) in [%d, %d] {
%s      memref.store %%y, %%acc[%%i, %%j] : %s
    }
""" % (m, n, body, acc)


def gemm(name, tile, stages, threads, dtype="bf16", out="bf16", transposed=True,
         batched=False, kind=None, panel=None, stream=False, shared=False,
         columns_first=True, early=False, **options):
    """C = A·Bᵀ, or A·B; `kind`: an epilogue; `batched`: a first dimension more;
    `stream`: no other block reads the same of B; `columns_first`: blocks along a row
    come one after the other, or along a column; `early`: the next launch begins while
    this one stores."""
    m, n, k = tile
    sums = "i32" if dtype == "i8" else "f32"
    zero = "0" if dtype == "i8" else "0.0"
    b_shape = (n, k) if transposed else (k, n)
    first = "?x" if batched else ""
    a, b, c = ("memref<%s?x?x%s>" % (first, t) for t in (dtype, dtype, out))
    shared_a = "memref<%dx%dx%s, %s>" % (m, k, dtype, SHARED)
    shared_b = "memref<%dx%dx%s, %s>" % (*b_shape, dtype, SHARED)
    acc = "memref<%dx%dx%s, #tile.fragment>" % (m, n, sums)
    extra = {None: "", "scale": ", %scale: f32"}.get(kind, ", %bias: memref<?xbf16>")
    rows = 1 if batched else 0
    at, one, drop = ("%bz, ", "1, ", " drop [0]") if batched else ("", "", "")
    attributes = (["transpose_b"] if transposed else []) + (
        ['precision = "tf32"'] if dtype == "f32" else [])
    swizzle, bx, by = "", "%bx", "%by"
    if panel:
        swizzle = ("    %%ux, %%uy = tile.block_swizzle %%bx, %%by of %%sx, %%sy "
                   "{panel = %d : i64}\n" % panel)
        bx, by = "%ux", "%uy"
    xy = (n, m) if columns_first else (m, n)
    x_of, y_of = ("N", "M") if columns_first else ("M", "N")
    bm, bn = (by, bx) if columns_first else (bx, by)
    place_b = "%s%%n, %%k" % at if transposed else "%s%%k, %%n" % at
    return """\
func.func @{name}(%A: {a}, %B: {b}, %C: {c}{extra}) {{
{indices}  %M = memref.dim %A, %c{rows} : {a}
  %K = memref.dim %A, %c{columns} : {a}
  %N = memref.dim %C, %c{columns} : {c}
  %batch = {batch}
  %gx = arith.ceildivui %{x_of}, %c{x} : index
  %gy = arith.ceildivui %{y_of}, %c{y} : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %batch)
             threads(%tx, %ty, %tz) in (%nx = %c{threads}, %ny = %c1, %nz = %c1) {{
{config}{swizzle}    %m = arith.muli {bm}, %c{m} : index
    %n = arith.muli {bn}, %c{n} : index
    %zero = arith.constant {zero} : {sums}
    %As = tile.alloc : {shared_a}
    %Bs = tile.alloc : {shared_b}
    %acc = tile.alloc : {acc}
    tile.fill %acc, %zero : {acc}, {sums}
{wait}    scf.for %k = %c0 to %K step %c{k} {{
      %a = tile.region %A[{at}%m, %k] [{one}{m}, {k}]{drop} : {a}
      %b = tile.region %B[{place_b}] [{one}{b0}, {b1}]{drop} : {b}
      tile.copy %a to %As : !tile.region<{m}x{k}x{dtype}>, {shared_a}
      tile.copy %b to %Bs{stream} : !tile.region<{b0}x{b1}x{dtype}>, {shared_b}
      tile.gemm %As, %Bs, %acc {{{attributes}}} : ({shared_a}, {shared_b}, {acc})
    }} {{tile.num_stages = {stages} : i32}}
{next}{epilogue}    %c = tile.region %C[{at}%m, %n] [{one}{m}, {n}]{drop} : {c}
    tile.copy %acc to %c : {acc}, !tile.region<{m}x{n}x{out}>
    gpu.terminator
  }}
  return
}}
""".format(name=name, a=a, b=b, c=c, extra=extra, indices=indices(m, n, k, threads),
           rows=rows, columns=rows + 1, m=m, n=n, k=k, b0=b_shape[0], b1=b_shape[1],
           batch="memref.dim %%A, %%c0 : %s" % a if batched else "arith.constant 1 : index",
           threads=threads, config=config(options), swizzle=swizzle, bm=bm, bn=bn,
           x=xy[0], y=xy[1], x_of=x_of, y_of=y_of,
           zero=zero, sums=sums, shared_a=shared_a, shared_b=shared_b, acc=acc, at=at,
           one=one, drop=drop, place_b=place_b, attributes=", ".join(attributes),
           wait="    tile.launch_wait\n" if early else "",
           next="    tile.launch_next\n" if early else "",
           dtype=dtype, stages=stages, out=out, epilogue=epilogue(kind, m, n, acc, shared),
           stream=STREAM if stream else "")


def short_gemm(name, tile, stages, threads, **options):
    """C = A·Bᵀ for few rows, as Cᵀ = B·Aᵀ: rows of B are those of the instruction,
    of which it has 64, and rows of A its columns, of which it has any eight."""
    m, n, k = tile
    return """\
!tensor = memref<?x?xbf16>
!As = memref<{m}x{k}xbf16, {SHARED}>
!Bs = memref<{n}x{k}xbf16, {SHARED}>
!acc = memref<{n}x{m}xf32, #tile.fragment>
func.func @{name}(%A: !tensor, %B: !tensor, %C: !tensor) {{
{indices}  %M = memref.dim %A, %c0 : !tensor
  %K = memref.dim %A, %c1 : !tensor
  %N = memref.dim %C, %c1 : !tensor
  %gx = arith.ceildivui %N, %c{n} : index
  %gy = arith.ceildivui %M, %c{m} : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c{threads}, %ny = %c1, %nz = %c1) {{
{config}    %m = arith.muli %by, %c{m} : index
    %n = arith.muli %bx, %c{n} : index
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : !As
    %Bs = tile.alloc : !Bs
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %K step %c{k} {{
      %a = tile.region %A[%m, %k] [{m}, {k}] : !tensor
      %b = tile.region %B[%n, %k] [{n}, {k}] : !tensor
      tile.copy %a to %As : !tile.region<{m}x{k}xbf16>, !As
      tile.copy %b to %Bs{stream} : !tile.region<{n}x{k}xbf16>, !Bs
      tile.gemm %Bs, %As, %acc {{transpose_b}} : (!Bs, !As, !acc)
    }} {{tile.num_stages = {stages} : i32}}
    %c = tile.region %C[%m, %n] [{m}, {n}] : !tensor
    tile.transpose %acc to %c : !acc, !tile.region<{m}x{n}xbf16>
    gpu.terminator
  }}
  return
}}
""".format(name=name, m=m, n=n, k=k, stages=stages, threads=threads, SHARED=SHARED,
           config=config(options), indices=indices(m, n, k, threads), stream=STREAM)


def gemm_sp(name, tile, stages, threads, dtype="bf16", out="bf16", **options):
    """C = S·Bᵀ with S 2:4 sparse: stored values and packed metadata of
    tile.gemm_sp."""
    m, n, k = tile
    words = (m // 64, k // 64, 128)
    shared = {"A": "memref<%dx%dx%s, %s>" % (m, k // 2, dtype, SHARED),
              "E": "memref<%dx%dx%dxi32, %s>" % (*words, SHARED),
              "B": "memref<%dx%dx%s, %s>" % (n, k, dtype, SHARED)}
    return """\
func.func @{name}(%A: memref<?x?x{dtype}>, %E: memref<?x?x128xi32>, %B: memref<?x?x{dtype}>, %C: memref<?x?x{out}>) {{
{indices}  %M = memref.dim %A, %c0 : memref<?x?x{dtype}>
  %K = memref.dim %B, %c1 : memref<?x?x{dtype}>
  %N = memref.dim %B, %c0 : memref<?x?x{dtype}>
  %gx = arith.ceildivui %N, %c{n} : index
  %gy = arith.ceildivui %M, %c{m} : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c{threads}, %ny = %c1, %nz = %c1) {{
{config}    %m = arith.muli %by, %c{m} : index
    %n = arith.muli %bx, %c{n} : index
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : {A}
    %Es = tile.alloc : {E}
    %Bs = tile.alloc : {B}
    %acc = tile.alloc : {acc}
    tile.fill %acc, %zero : {acc}, f32
    scf.for %k = %c0 to %K step %c{k} {{
      %half = arith.divui %k, %c2 : index
      %rows = arith.divui %m, %c64 : index
      %columns = arith.divui %k, %c64 : index
      %a = tile.region %A[%m, %half] [{m}, {kh}] : memref<?x?x{dtype}>
      %e = tile.region %E[%rows, %columns, 0] [{e}] : memref<?x?x128xi32>
      %b = tile.region %B[%n, %k] [{n}, {k}] : memref<?x?x{dtype}>
      tile.copy %a to %As : !tile.region<{m}x{kh}x{dtype}>, {A}
      tile.copy %e to %Es : !tile.region<{ex}xi32>, {E}
      tile.copy %b to %Bs : !tile.region<{n}x{k}x{dtype}>, {B}
      tile.gemm_sp %As, %Es, %Bs, %acc {{transpose_b}} : ({A}, {E}, {B}, {acc})
    }} {{tile.num_stages = {stages} : i32}}
    %c = tile.region %C[%m, %n] [{m}, {n}] : memref<?x?x{out}>
    tile.copy %acc to %c : {acc}, !tile.region<{m}x{n}x{out}>
    gpu.terminator
  }}
  return
}}
""".format(name=name, dtype=dtype, out=out, m=m, n=n, k=k, kh=k // 2, threads=threads,
           stages=stages, config=config(options), e=", ".join(map(str, words)),
           ex="x".join(map(str, words)), indices=indices(64, m, n, k, threads),
           acc="memref<%dx%dxf32, #tile.fragment>" % (m, n), **shared)


def attention(name, size, tile, stages, threads, causal=False, **options):
    """Softmax(Q·Kᵀ·scale)·V for tensors position, head, column; `size` columns."""
    m, n = tile
    bounds = """\
    %ahead = arith.subi %keys, %queries : index
    %before = arith.addi %m, %ahead : index
    %first = arith.addi %before, %c1 : index
    %reach = arith.addi %before, %c{m} : index
    %end = arith.minsi %reach, %keys : index
""" if causal else """\
    %first = arith.addi %keys, %c0 : index
    %end = arith.addi %keys, %c0 : index
"""
    step = "%i" if causal else "%c0"
    block = ("    %last = arith.subi %sx, %c1 : index\n"
             "    %block = arith.subi %last, %bx : index\n" if causal else
             "    %block = arith.addi %bx, %c0 : index\n")
    return ("""\
!tensor = memref<?x?x{d}xbf16>
!Qs = memref<{m}x{d}xbf16, {SHARED}>
!Ks = memref<{n}x{d}xbf16, {SHARED}>
!S = memref<{m}x{n}xf32, #tile.fragment>
!P = memref<{m}x{n}xbf16, #tile.fragment>
!acc = memref<{m}x{d}xf32, #tile.fragment>
!row = memref<{m}xf32, #tile.fragment>
func.func @{name}(%Q: !tensor, %K: !tensor, %V: !tensor, %O: !tensor, %scale: f32) {{
{indices}  %queries = memref.dim %Q, %c0 : !tensor
  %heads = memref.dim %Q, %c1 : !tensor
  %keys = memref.dim %K, %c0 : !tensor
  %kv_heads = memref.dim %K, %c1 : !tensor
  %group = arith.ceildivui %heads, %kv_heads : index
  %gx = arith.ceildivui %queries, %c{m} : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %heads, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c{threads}, %ny = %c1, %nz = %c1) {{
{config}    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
""" + block + """\
    %m = arith.muli %block, %c{m} : index
    %head = arith.divui %by, %group : index
""" + bounds + """\
    %Qs = tile.alloc : !Qs
    %Ks = tile.alloc : !Ks
    %Vs = tile.alloc : !Ks
    %S = tile.alloc : !S
    %P = tile.alloc : !P
    %acc = tile.alloc : !acc
    %max = tile.alloc : !row
    %shift = tile.alloc : !row
    %rescale = tile.alloc : !row
    %sum = tile.alloc : !row
    %q = tile.region %Q[%m, %by, 0] [{m}, 1, {d}] drop [1] : !tensor
    tile.copy %q to %Qs : !tile.region<{m}x{d}xbf16>, !Qs
    tile.fill %acc, %zero : !acc, f32
    tile.fill %sum, %zero : !row, f32
    tile.fill %max, %low : !row, f32
    scf.for %n = %c0 to %end step %c{n} {{
      %k = tile.region %K[%n, %head, 0] [{n}, 1, {d}] drop [1] : !tensor
      %v = tile.region %V[%n, %head, 0] [{n}, 1, {d}] drop [1] : !tensor
      tile.copy %k to %Ks : !tile.region<{n}x{d}xbf16>, !Ks
      tile.copy %v to %Vs : !tile.region<{n}x{d}xbf16>, !Ks
      tile.fill %S, %zero : !S, f32
      tile.gemm %Qs, %Ks, %S {{transpose_b}} : (!Qs, !Ks, !S)
      %next = arith.addi %n, %c{n} : index
      %seen = arith.minsi %first, %keys : index
      %masked = arith.cmpi sgt, %next, %seen : index
      scf.if %masked {{
        tile.parallel (%i, %j) in [{m}, {n}] {{
          %s = memref.load %S[%i, %j] : !S
          %key = arith.addi %n, %j : index
          %bound = arith.addi %first, {step} : index
          %visible = arith.minsi %bound, %keys : index
          %is_visible = arith.cmpi slt, %key, %visible : index
          %t = arith.select %is_visible, %s, %low : f32
          memref.store %t, %S[%i, %j] : !S
        }}
      }}
      tile.copy %max to %rescale : !row, !row
      tile.reduce max %S to %max dim 1 : !S, !row
      tile.parallel (%i) in [{m}] {{
        %a = memref.load %rescale[%i] : !row
        %b = memref.load %max[%i] : !row
        %d = arith.subf %a, %b : f32
        %e = arith.mulf %d, %factor : f32
        %r = math.exp2 %e fastmath<afn> : f32
        %l = memref.load %sum[%i] : !row
        %t = arith.mulf %l, %r : f32
        %x = arith.mulf %b, %factor : f32
        %y = arith.negf %x : f32
        memref.store %r, %rescale[%i] : !row
        memref.store %t, %sum[%i] : !row
        memref.store %y, %shift[%i] : !row
      }}
      tile.parallel (%i, %j) in [{m}, {n}] {{
        %s = memref.load %S[%i, %j] : !S
        %y = memref.load %shift[%i] : !row
        %e = math.fma %s, %factor, %y : f32
        %p = math.exp2 %e fastmath<afn> : f32
        memref.store %p, %S[%i, %j] : !S
      }}
      tile.reduce sum %S to %sum dim 1 : !S, !row
      tile.parallel (%i, %j) in [{m}, {d}] {{
        %x = memref.load %acc[%i, %j] : !acc
        %r = memref.load %rescale[%i] : !row
        %y = arith.mulf %x, %r : f32
        memref.store %y, %acc[%i, %j] : !acc
      }}
      tile.copy %S to %P : !S, !P
      tile.gemm %P, %Vs, %acc : (!P, !Ks, !acc)
    }} {{tile.num_stages = {stages} : i32}}
    tile.parallel (%i) in [{m}] {{
      %l = memref.load %sum[%i] : !row
      %r = arith.divf %one, %l : f32
      memref.store %r, %sum[%i] : !row
    }}
    tile.parallel (%i, %j) in [{m}, {d}] {{
      %x = memref.load %acc[%i, %j] : !acc
      %r = memref.load %sum[%i] : !row
      %y = arith.mulf %x, %r : f32
      memref.store %y, %acc[%i, %j] : !acc
    }}
    %o = tile.region %O[%m, %by, 0] [{m}, 1, {d}] drop [1] : !tensor
    tile.copy %acc to %o : !acc, !tile.region<{m}x{d}xbf16>
    gpu.terminator
  }}
  return
}}
""").format(name=name, d=size, m=m, n=n, stages=stages, threads=threads, step=step,
            SHARED=SHARED, indices=indices(m, n, threads), config=config(options))


def convolution(name, tile, stages, threads, channels, **options):
    """3x3, stride 1, pad 1: images N, H, W, C, filters 3, 3, C, K, result N·H·W, K."""
    m, n, k = tile
    return """\
func.func @{name}(%X: memref<?x?x?x{channels}xbf16>, %W: memref<3x3x{channels}x?xbf16>, %Y: memref<?x?xbf16>) {{
{indices}  %points = memref.dim %Y, %c0 : memref<?x?xbf16>
  %filters = memref.dim %Y, %c1 : memref<?x?xbf16>
  %gx = arith.ceildivui %filters, %c{n} : index
  %gy = arith.ceildivui %points, %c{m} : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c{threads}, %ny = %c1, %nz = %c1) {{
{config}    %zero = arith.constant 0.0 : f32
    %p = arith.muli %by, %c{m} : index
    %f = arith.muli %bx, %c{n} : index
    %Xs = tile.alloc : {Xs}
    %Ws = tile.alloc : {Ws}
    %acc = tile.alloc : {acc}
    tile.fill %acc, %zero : {acc}, f32
    scf.for %column = %c0 to %c{columns} step %c{k} {{
      %position = arith.divui %column, %c{channels} : index
      %c = arith.remui %column, %c{channels} : index
      %r = arith.divui %position, %c3 : index
      %s = arith.remui %position, %c3 : index
      %x = tile.im2col %X[%p, %column] [{m}, {k}] kernel [3, 3] stride [1, 1] pad [1, 1] : memref<?x?x?x{channels}xbf16>
      %w = tile.region %W[%r, %s, %c, %f] [1, 1, {k}, {n}] drop [0, 1] : memref<3x3x{channels}x?xbf16>
      tile.copy %x to %Xs : !tile.region<{m}x{k}xbf16>, {Xs}
      tile.copy %w to %Ws : !tile.region<{k}x{n}xbf16>, {Ws}
      tile.gemm %Xs, %Ws, %acc : ({Xs}, {Ws}, {acc})
    }} {{tile.num_stages = {stages} : i32}}
    %y = tile.region %Y[%p, %f] [{m}, {n}] : memref<?x?xbf16>
    tile.copy %acc to %y : {acc}, !tile.region<{m}x{n}xbf16>
    gpu.terminator
  }}
  return
}}
""".format(name=name, m=m, n=n, k=k, stages=stages, threads=threads, channels=channels,
           columns=9 * channels, config=config(options),
           indices=indices(3, m, n, k, threads, channels, 9 * channels),
           Xs="memref<%dx%dxbf16, %s>" % (m, k, SHARED),
           Ws="memref<%dx%dxbf16, %s>" % (k, n, SHARED),
           acc="memref<%dx%dxf32, #tile.fragment>" % (m, n))


def row_kernel(name, rows, columns, threads, body, arguments, options, dtype="bf16"):
    """A kernel whose blocks take `rows` rows of `columns` columns; option `early`: the
    next launch begins when the last rows are loaded."""
    early = options.pop("early", False)
    return """\
!tensor = memref<?x{columns}x{dtype}>
!vector = memref<{columns}x{dtype}>
!tile = memref<{rows}x{columns}xf32, #tile.fragment>
!rows = memref<{rows}xf32, #tile.fragment>
!columns = memref<{columns}xf32, #tile.fragment>
func.func @{name}(%X: !tensor, {arguments}%Y: !tensor) {{
{indices}  %count = memref.dim %X, %c0 : !tensor
  %width = memref.dim %X, %c1 : !tensor
  %gx = arith.ceildivui %count, %c{rows} : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c{threads}, %ny = %c1, %nz = %c1) {{
{config}    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %m = arith.muli %bx, %c{rows} : index
    %F = tile.alloc : !tile
{wait}    %x = tile.region %X[%m, 0] [{rows}, {columns}] : !tensor
    tile.copy %x to %F : !tile.region<{rows}x{columns}x{dtype}>, !tile
{next}{body}    %y = tile.region %Y[%m, 0] [{rows}, {columns}] : !tensor
    tile.copy %F to %y : !tile, !tile.region<{rows}x{columns}x{dtype}>
    gpu.terminator
  }}
  return
}}
""".format(name=name, rows=rows, columns=columns, threads=threads, dtype=dtype,
           arguments=arguments, indices=indices(rows, threads), body=body,
           wait="    tile.launch_wait\n" if early else "",
           next="    tile.launch_next\n" if early else "", config=config(options))


def softmax(name, rows, columns, threads, **options):
    return row_kernel(name, rows, columns, threads, """\
    %max = tile.alloc : !rows
    %sum = tile.alloc : !rows
    tile.parallel (%i, %j) in [{r}, {c}] {{
      %v = memref.load %F[%i, %j] : !tile
      %inside = arith.cmpi slt, %j, %width : index
      %w = arith.select %inside, %v, %low : f32
      memref.store %w, %F[%i, %j] : !tile
    }}
    tile.reduce max %F to %max dim 1 {{clear}} : !tile, !rows
    %log2e = arith.constant 1.44269504 : f32
    tile.parallel (%i, %j) in [{r}, {c}] {{
      %v = memref.load %F[%i, %j] : !tile
      %t = memref.load %max[%i] : !rows
      %d = arith.subf %v, %t : f32
      %e = arith.mulf %d, %log2e : f32
      %p = math.exp2 %e fastmath<afn> : f32
      memref.store %p, %F[%i, %j] : !tile
    }}
    tile.reduce sum %F to %sum dim 1 {{clear}} : !tile, !rows
    %one = arith.constant 1.0 : f32
    tile.parallel (%i) in [{r}] {{
      %s = memref.load %sum[%i] : !rows
      %q = arith.divf %one, %s : f32
      memref.store %q, %sum[%i] : !rows
    }}
    tile.parallel (%i, %j) in [{r}, {c}] {{
      %v = memref.load %F[%i, %j] : !tile
      %q = memref.load %sum[%i] : !rows
      %w = arith.mulf %v, %q : f32
      memref.store %w, %F[%i, %j] : !tile
    }}
""".format(r=rows, c=columns), "", options)


def layer_norm(name, rows, columns, threads, **options):
    loads = """\
    %w = tile.alloc : !columns
    %b = tile.alloc : !columns
    %scale_row = tile.region %scale[0] [{c}] : !vector
    %shift_row = tile.region %shift[0] [{c}] : !vector
    tile.copy %scale_row to %w : !tile.region<{c}xbf16>, !columns
    tile.copy %shift_row to %b : !tile.region<{c}xbf16>, !columns
""".format(c=columns)
    return row_kernel(name, rows, columns, threads, """\
    %mean = tile.alloc : !rows
    %variance = tile.alloc : !rows
    %squares = tile.alloc : !tile
    %width_i32 = arith.index_cast %width : index to i32
    %number = arith.sitofp %width_i32 : i32 to f32
    %eps = arith.constant 1.0e-5 : f32
""" + loads + """\
    tile.reduce sum %F to %mean dim 1 {{clear}} : !tile, !rows
    tile.parallel (%i) in [{r}] {{
      %s = memref.load %mean[%i] : !rows
      %a = arith.divf %s, %number : f32
      memref.store %a, %mean[%i] : !rows
    }}
    tile.parallel (%i, %j) in [{r}, {c}] {{
      %v = memref.load %F[%i, %j] : !tile
      %a = memref.load %mean[%i] : !rows
      %d = arith.subf %v, %a : f32
      %inside = arith.cmpi slt, %j, %width : index
      %f = arith.select %inside, %d, %zero : f32
      %q = arith.mulf %f, %f : f32
      memref.store %f, %F[%i, %j] : !tile
      memref.store %q, %squares[%i, %j] : !tile
    }}
    tile.reduce sum %squares to %variance dim 1 {{clear}} : !tile, !rows
    tile.parallel (%i) in [{r}] {{
      %s = memref.load %variance[%i] : !rows
      %v = arith.divf %s, %number : f32
      %t = arith.addf %v, %eps : f32
      %q = math.rsqrt %t : f32
      memref.store %q, %variance[%i] : !rows
    }}
    tile.parallel (%i, %j) in [{r}, {c}] {{
      %d = memref.load %F[%i, %j] : !tile
      %q = memref.load %variance[%i] : !rows
      %g = memref.load %w[%j] : !columns
      %h = memref.load %b[%j] : !columns
      %n = arith.mulf %d, %q : f32
      %s = math.fma %n, %g, %h : f32
      memref.store %s, %F[%i, %j] : !tile
    }}
""".format(r=rows, c=columns), "%scale: !vector, %shift: !vector, ", options)
