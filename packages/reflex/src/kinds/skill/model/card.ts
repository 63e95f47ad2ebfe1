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
  /** Skills that were left out because their card, or the bulletin with it, is too long. */
  readonly overflow: readonly string[]
  /** The digest of what is shown, apart from statistics: a bulletin with an equal one brings nothing new. */
  readonly selection: string
  /** True if it is only a mark that the last bulletin of the conversation is still in force. */
  readonly same: boolean
  readonly tokens: number
  readonly tokenizer: string
}
