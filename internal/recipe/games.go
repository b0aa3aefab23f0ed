package recipe

import (
	"fmt"

	"warren/internal/selfplay"
	"warren/internal/settings"
	"warren/mcts"
)

// HashOfGames returns a hash, for game records, of the settings that affect the
// course of a game. The number of workers and of games per worker does not.
func HashOfGames(play selfplay.Config, search mcts.Config) (string, error) {
	play.Workers, play.GamesPerWorker = 0, 1
	hash, err := settings.Hash(struct {
		SelfPlay selfplay.Config `yaml:"selfplay"`
		Search   mcts.Config     `yaml:"search"`
	}{play, search})
	if err != nil {
		return "", fmt.Errorf("hashing the settings of the games: %w", err)
	}
	return hash, nil
}
