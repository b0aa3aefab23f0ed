// Requests that are refused.

/**
 * Refused is the error of a request that the program refused, in its own words. If it was a
 * command in a game, state is that of the game, which may be another than the page shows.
 */
export class Refused extends Error {
  constructor(status, text, state = null) {
    super(text);
    this.status = status;
    this.state = state;
  }
}
