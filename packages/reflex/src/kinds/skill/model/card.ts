/** A skill as a bulletin may show it, before it is ranked. */
export interface CardCandidate {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly description: string
  readonly needs: readonly { readonly slot: string; readonly type: string; readonly known: boolean }[]
  readonly gives: readonly { readonly output: string; readonly type: string }[]
  readonly keywords: readonly string[]
  readonly stats: { readonly successes: number; readonly runs: number }
}

/** The bulletin of a turn: its bytes, which never change within the turn, and what it shows. */
export interface Bulletin {
  /** Empty if no skill is eligible: nothing is injected then. */
  readonly text: string
  readonly cards: readonly { readonly id: string; readonly version: string; readonly tokens: number; readonly reason: string }[]
  /** Skills that were left out because their card is too long. */
  readonly overflow: readonly string[]
  readonly tokens: number
  readonly tokenizer: string
}
