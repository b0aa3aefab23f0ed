package cuda

import "unsafe"

// api is the part of the CUDA driver API that is used, in the versions of the functions that
// drivers have had since CUDA 11.1, whose compiler also reads the PTX (the suffix _v2 is part of a name). The tag "c" is the
// function's name.
type api struct {
	graphs *graphs // nil if the driver has none

	Init               func(flags uint32) int32                                                                                                                      `c:"cuInit"`
	DriverGetVersion   func(version *int32) int32                                                                                                                    `c:"cuDriverGetVersion"`
	DeviceGetCount     func(n *int32) int32                                                                                                                          `c:"cuDeviceGetCount"`
	DeviceGet          func(device *int32, number int32) int32                                                                                                       `c:"cuDeviceGet"`
	DeviceGetName      func(name *byte, length int32, device int32) int32                                                                                            `c:"cuDeviceGetName"`
	DeviceGetAttribute func(value *int32, attribute, device int32) int32                                                                                             `c:"cuDeviceGetAttribute"`
	DeviceTotalMem     func(bytes *uintptr, device int32) int32                                                                                                      `c:"cuDeviceTotalMem_v2"`
	GetErrorName       func(code int32, name **byte) int32                                                                                                           `c:"cuGetErrorName"`
	PrimaryRetain      func(context *uintptr, device int32) int32                                                                                                    `c:"cuDevicePrimaryCtxRetain"`
	PrimaryRelease     func(device int32) int32                                                                                                                      `c:"cuDevicePrimaryCtxRelease_v2"`
	SetCurrent         func(context uintptr) int32                                                                                                                   `c:"cuCtxSetCurrent"`
	ModuleLoad         func(module *uintptr, image *byte, n uint32, options *uint32, values unsafe.Pointer) int32                                                    `c:"cuModuleLoadDataEx"`
	ModuleUnload       func(module uintptr) int32                                                                                                                    `c:"cuModuleUnload"`
	ModuleGetFunction  func(function *uintptr, module uintptr, name string) int32                                                                                    `c:"cuModuleGetFunction"`
	FuncSetAttribute   func(function uintptr, attribute, value int32) int32                                                                                          `c:"cuFuncSetAttribute"`
	MemAlloc           func(at *uint64, bytes uintptr) int32                                                                                                         `c:"cuMemAlloc_v2"`
	MemFree            func(at uint64) int32                                                                                                                         `c:"cuMemFree_v2"`
	HostAlloc          func(at *unsafe.Pointer, bytes uintptr, flags uint32) int32                                                                                   `c:"cuMemHostAlloc"`
	HostFree           func(at unsafe.Pointer) int32                                                                                                                 `c:"cuMemFreeHost"`
	StreamCreate       func(stream *uintptr, flags uint32) int32                                                                                                     `c:"cuStreamCreate"`
	StreamDestroy      func(stream uintptr) int32                                                                                                                    `c:"cuStreamDestroy_v2"`
	StreamSynchronize  func(stream uintptr) int32                                                                                                                    `c:"cuStreamSynchronize"`
	EventCreate        func(event *uintptr, flags uint32) int32                                                                                                      `c:"cuEventCreate"`
	EventDestroy       func(event uintptr) int32                                                                                                                     `c:"cuEventDestroy_v2"`
	EventRecord        func(event, stream uintptr) int32                                                                                                             `c:"cuEventRecord"`
	EventSynchronize   func(event uintptr) int32                                                                                                                     `c:"cuEventSynchronize"`
	CopyToDevice       func(to uint64, from unsafe.Pointer, bytes uintptr, stream uintptr) int32                                                                     `c:"cuMemcpyHtoDAsync_v2"`
	CopyToHost         func(to unsafe.Pointer, from uint64, bytes uintptr, stream uintptr) int32                                                                     `c:"cuMemcpyDtoHAsync_v2"`
	LaunchKernel       func(function uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, stream uintptr, args *unsafe.Pointer, extra uintptr) int32 `c:"cuLaunchKernel"`
}

// Constants of cuda.h.
const (
	attributeUnits = 16
	attributeMajor = 75
	attributeMinor = 76

	attributeShared = 8 // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

	streamNonBlocking    = 1
	eventBlockingSync    = 1
	eventDisableTiming   = 2
	optionErrorBuffer    = 5 // CU_JIT_ERROR_LOG_BUFFER
	optionErrorBufferLen = 6 // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
)
