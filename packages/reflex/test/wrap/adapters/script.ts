/** A text, or a call of a tool. */
export type Said = string | { readonly call: string; readonly args: object }

/** What a model replies to a request, by its last message and the number of requests so far. It may throw. */
export type Answer = (last: string, n: number) => readonly Said[] | Promise<readonly Said[]>

/** Replies one after the other, whatever is asked; then `ok`. */
export function inTurn(...replies: readonly (Said | readonly Said[] | Error)[]): Answer {
  return (_, n) => {
    const reply = replies[n - 1] ?? 'ok'
    if (reply instanceof Error) throw reply
    return Array.isArray(reply) ? (reply as readonly Said[]) : [reply as Said]
  }
}
