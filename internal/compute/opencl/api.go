package opencl

import "unsafe"

// api is the part of OpenCL 1.2 that is used. The tag "c" is the function's name.
type api struct {
	GetPlatformIDs  func(n uint32, platforms *uintptr, count *uint32) int32                                                                                 `c:"clGetPlatformIDs"`
	GetPlatformInfo func(p uintptr, what uint32, size uintptr, v unsafe.Pointer, length *uintptr) int32                                                     `c:"clGetPlatformInfo"`
	GetDeviceIDs    func(p uintptr, kind uint64, n uint32, devices *uintptr, count *uint32) int32                                                           `c:"clGetDeviceIDs"`
	GetDeviceInfo   func(d uintptr, what uint32, size uintptr, v unsafe.Pointer, length *uintptr) int32                                                     `c:"clGetDeviceInfo"`
	CreateContext   func(properties uintptr, n uint32, d *uintptr, notify, user uintptr, err *int32) uintptr                                                `c:"clCreateContext"`
	ReleaseContext  func(c uintptr) int32                                                                                                                   `c:"clReleaseContext"`
	CreateQueue     func(c, d uintptr, properties uint64, err *int32) uintptr                                                                               `c:"clCreateCommandQueue"`
	ReleaseQueue    func(q uintptr) int32                                                                                                                   `c:"clReleaseCommandQueue"`
	CreateBuffer    func(c uintptr, flags uint64, size uintptr, host uintptr, err *int32) uintptr                                                           `c:"clCreateBuffer"`
	ReleaseMemory   func(b uintptr) int32                                                                                                                   `c:"clReleaseMemObject"`
	CreateProgram   func(c uintptr, n uint32, text **byte, lengths *uintptr, err *int32) uintptr                                                            `c:"clCreateProgramWithSource"`
	BuildProgram    func(p uintptr, n uint32, d *uintptr, options string, notify, user uintptr) int32                                                       `c:"clBuildProgram"`
	GetBuildInfo    func(p, d uintptr, what uint32, size uintptr, v unsafe.Pointer, length *uintptr) int32                                                  `c:"clGetProgramBuildInfo"`
	ReleaseProgram  func(p uintptr) int32                                                                                                                   `c:"clReleaseProgram"`
	CreateKernel    func(p uintptr, name string, err *int32) uintptr                                                                                        `c:"clCreateKernel"`
	ReleaseKernel   func(k uintptr) int32                                                                                                                   `c:"clReleaseKernel"`
	SetKernelArg    func(k uintptr, i uint32, size uintptr, v unsafe.Pointer) int32                                                                         `c:"clSetKernelArg"`
	WaitForEvents   func(n uint32, events *uintptr) int32                                                                                                   `c:"clWaitForEvents"`
	ReleaseEvent    func(e uintptr) int32                                                                                                                   `c:"clReleaseEvent"`
	Flush           func(q uintptr) int32                                                                                                                   `c:"clFlush"`
	Finish          func(q uintptr) int32                                                                                                                   `c:"clFinish"`
	EnqueueRead     func(q, b uintptr, block uint32, offset, size uintptr, p unsafe.Pointer, n uint32, wait uintptr, event *uintptr) int32                  `c:"clEnqueueReadBuffer"`
	EnqueueWrite    func(q, b uintptr, block uint32, offset, size uintptr, p unsafe.Pointer, n uint32, wait uintptr, event *uintptr) int32                  `c:"clEnqueueWriteBuffer"`
	EnqueueMap      func(q, b uintptr, block uint32, flags uint64, offset, size uintptr, n uint32, wait uintptr, event *uintptr, err *int32) unsafe.Pointer `c:"clEnqueueMapBuffer"`
	EnqueueUnmap    func(q, b uintptr, p unsafe.Pointer, n uint32, wait uintptr, event *uintptr) int32                                                      `c:"clEnqueueUnmapMemObject"`
	EnqueueKernel   func(q, k uintptr, dimensions uint32, offset, global, local *uintptr, n uint32, wait uintptr, event *uintptr) int32                     `c:"clEnqueueNDRangeKernel"`
}

// places are the places of the functions in the table of a driver, which the extension
// cl_khr_icd fixes (cl_icd.h).
var places = map[string]int{
	"clGetPlatformIDs": 0, "clGetPlatformInfo": 1, "clGetDeviceIDs": 2, "clGetDeviceInfo": 3,
	"clCreateContext": 4, "clReleaseContext": 7, "clCreateCommandQueue": 9, "clReleaseCommandQueue": 11,
	"clCreateBuffer": 14, "clReleaseMemObject": 18, "clCreateProgramWithSource": 26, "clReleaseProgram": 29,
	"clBuildProgram": 30, "clGetProgramBuildInfo": 33, "clCreateKernel": 34, "clReleaseKernel": 37,
	"clSetKernelArg": 38, "clWaitForEvents": 41, "clReleaseEvent": 44, "clFlush": 46, "clFinish": 47,
	"clEnqueueReadBuffer": 48, "clEnqueueWriteBuffer": 49, "clEnqueueMapBuffer": 56,
	"clEnqueueUnmapMemObject": 58, "clEnqueueNDRangeKernel": 59,
}

// Constants of cl.h.
const (
	platformVersion = 0x0901

	deviceType    = 0x1000
	deviceUnits   = 0x1002
	deviceMemory  = 0x101F
	deviceName    = 0x102B
	driverVersion = 0x102D

	allDevices   = 0xFFFFFFFF
	processor    = 1 << 1
	buildLog     = 0x1183
	readWrite    = 1 << 0
	hostMemory   = 1 << 4
	mapReadWrite = 3
)
