// The parts of OpenCL C that the kernels use, for clang's target nvptx64, which has no
// library of them. Loads and stores of vectors are aligned to their size in the kernels.

#define get_local_id(d) __nvvm_read_ptx_sreg_tid_x()
#define get_group_id(d) ((d) == 0 ? __nvvm_read_ptx_sreg_ctaid_x() : __nvvm_read_ptx_sreg_ctaid_y())
#define barrier(fence) __syncthreads()

#define fma(a, b, c) fused(a, b, c)
#define OVERLOADED static inline __attribute__((overloadable, always_inline))
OVERLOADED float4 fused(float4 a, float4 b, float4 c) {
  return (float4)(__builtin_fmaf(a.x, b.x, c.x), __builtin_fmaf(a.y, b.y, c.y),
                  __builtin_fmaf(a.z, b.z, c.z), __builtin_fmaf(a.w, b.w, c.w));
}

OVERLOADED float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

#define sqrt(v) root(v)
OVERLOADED float root(float v) {
  float r;
  __asm__("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}

#define vload4(i, p) loaded(i, p)
OVERLOADED float4 loaded(int i, __global const float *p) { return ((__global const float4 *)p)[i]; }
OVERLOADED float4 loaded(int i, __local const float *p) { return ((__local const float4 *)p)[i]; }
#define vstore4(v, i, p) stored(v, i, p)
OVERLOADED void stored(float4 v, int i, __local float *p) { ((__local float4 *)p)[i] = v; }

OVERLOADED float widened(ushort h) {
  float f;
  __asm__("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
OVERLOADED ushort narrowed(float f) {
  ushort h;
  __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
}
#define vload_half(i, p) widened(((__global const ushort *)(p))[i])
#define vload_half2(i, p) halves2(((__global const uint *)(p))[i])
OVERLOADED float2 halves2(uint v) { return (float2)(widened((ushort)v), widened((ushort)(v >> 16))); }
#define vload_half4(i, p) halves4(((__global const uint2 *)(p))[i])
OVERLOADED float4 halves4(uint2 v) { return (float4)(halves2(v.x), halves2(v.y)); }
#define vstore_half_rte(v, i, p) ((__global ushort *)(p))[i] = narrowed(v)
#define vstore_half2_rte(v, i, p) stored2(v, (__global uint *)(p) + (i))
OVERLOADED void stored2(float2 v, __global uint *p) { *p = narrowed(v.x) | (uint)narrowed(v.y) << 16; }
