package bf16

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkBlock times a residual block, two convolutions. The figures to read are of the fastest
// one: us/conv and %peak.
func BenchmarkBlock(b *testing.B) {
	for _, channels := range []int{32, 48, 64, 128, 256} {
		for _, boards := range []int{1, 2, 8, 16} {
			b.Run(fmt.Sprintf("%dchannels/%dboards", channels, boards), func(b *testing.B) {
				u := units(b)[0]
				if u.Name() == "go" {
					b.Skip("plain Go is not meant to be fast")
				}
				w, bias := noise(1, 9*channels*channels, 0.05), noise(2, channels, 0.1)
				first, second := NewConv(u, w, bias, channels, channels), NewConv(u, w, bias, channels, channels)
				x, h := NewBoards(boards, channels), NewBoards(boards, channels)
				fill(x, boards, channels, 3, true)
				var s Scratch
				lowest := time.Hour // other work on the machine disturbs the mean
				for b.Loop() {
					begin := time.Now()
					first.Forward(h, x, nil, nil, boards, &s)
					second.Forward(x, h, nil, x, boards, &s)
					lowest = min(lowest, time.Since(begin))
				}
				each := float64(lowest.Nanoseconds()) / float64(2*boards)
				ideal := 64 * 8.25 * float64(channels*channels) * 2 / 2930
				b.ReportMetric(each/1000, "us/conv")
				b.ReportMetric(100*ideal/each, "%peak")
			})
		}
	}
}
