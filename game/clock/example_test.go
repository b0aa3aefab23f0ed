package clock_test

import (
	"fmt"
	"log"
	"time"

	"warren/game"
	"warren/game/clock"
)

// Two minutes a turn, and two in reserve, to which all unused time is added, up to
// ten; the game ends after eight hours.
func Example() {
	control, err := clock.ParseControl("2/2/100/10/8")
	if err != nil {
		log.Fatal(err)
	}
	c := clock.New(control)
	c.Spend(game.Gold, false, 90*time.Second)
	limit, _ := c.Limit(game.Gold, false)
	fmt.Println("reserve", c.Reserves[game.Gold])
	fmt.Println("limit of the next turn", limit)
	fmt.Println("played", c.Elapsed, "over", c.Over(1))
	// Output:
	// reserve 2m30s
	// limit of the next turn 4m30s
	// played 1m30s over false
}
