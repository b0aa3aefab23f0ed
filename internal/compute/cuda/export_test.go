package cuda

// DevicesOf lists the devices of a driver that a test provides.
var DevicesOf = devices
