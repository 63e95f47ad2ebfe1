import type { FormatToken } from './format-tokens.ts'

/** An attribute of a block: its tokens, the comments before it on their own lines, and the comments behind it. */
interface Entry {
  readonly before: readonly FormatToken[]
  /** The key, `=` and the value; a comment between them is moved before them. */
  readonly tokens: readonly FormatToken[]
  readonly after: readonly FormatToken[]
}

/** The content of square brackets. */
export interface Block {
  /** True if the author began a new line behind the bracket. */
  readonly isBroken: boolean
  /** Comments behind the opening bracket. */
  readonly opening: readonly FormatToken[]
  readonly entries: readonly Entry[]
  /** Comments before the closing bracket. */
  readonly closing: readonly FormatToken[]
}

/** A statement, or the beginning of a statement with a body. */
interface Statement {
  readonly kind: 'statement'
  /** Everything before the blocks, with the comments in between; the comments of an attribute are moved before it. */
  readonly head: readonly FormatToken[]
  readonly blocks: readonly Block[]
  /** True if a body follows, up to its `close`. */
  readonly opensBlock: boolean
  readonly after: readonly FormatToken[]
}

/** A line of a text: a comment, a statement, or the end of a body. Items are a flat list, so that nesting needs no recursion. */
export type Item =
  | { readonly kind: 'comment'; readonly token: FormatToken }
  | Statement
  | { readonly kind: 'close'; readonly token: FormatToken; readonly after: readonly FormatToken[] }

/** Returns the lines of a text without errors, with every comment at its place and without semicolons, which have no meaning. */
export function readItems(tokens: readonly FormatToken[]): Item[] {
  return new Reader(tokens).items()
}

const END: FormatToken = { kind: 'mark', text: '', breaks: 1 }
const WITH_BODY = /^(?:digraph|subgraph)$/i

class Reader {
  readonly #tokens: readonly FormatToken[]
  #at = 0

  constructor(tokens: readonly FormatToken[]) {
    this.#tokens = tokens
  }

  items(): Item[] {
    const items: Item[] = []
    while (this.#at < this.#tokens.length) {
      const token = this.#token(this.#at)
      if (isMark(token, ';')) this.#at++
      else if (token.kind === 'comment') items.push({ kind: 'comment', token: this.#take() })
      else if (isMark(token, '}')) items.push({ kind: 'close', token: this.#take(), after: this.#trailingComments([';']) })
      else items.push(...this.#statement())
    }
    return items
  }

  #statement(): Item[] {
    const all = [this.#take()]
    while (this.#continues(all)) this.#takeNext(all)
    const { comments, tokens } = all.some((token) => isMark(token, '=')) ? separateComments(all) : { comments: [], tokens: all }
    return [...comments.map((token) => ({ kind: 'comment' as const, token })), this.#finishStatement(tokens)]
  }

  #finishStatement(head: readonly FormatToken[]): Statement {
    if (isMark(head.at(-1), '{')) return { kind: 'statement', head, blocks: [], opensBlock: true, after: this.#sameLineComments() }
    const blocks: Block[] = []
    while (isMark(this.#next(), '[')) blocks.push(this.#block())
    return { kind: 'statement', head, blocks, opensBlock: false, after: this.#trailingComments([';']) }
  }

  /** True if the next token also belongs to the head: around `=` and `->`, and up to the brace of a body. */
  #continues(head: readonly FormatToken[]): boolean {
    const [first] = head
    const last = head.at(-1)
    const next = this.#next()
    if (next === END || isMark(last, '{') || isMark(next, '}')) return false
    if (isMark(last, '=', '->') || isMark(next, '=', '->')) return true
    if (!isMark(first) && !WITH_BODY.test(first?.text ?? '')) return false
    // A node can have the name "subgraph". It begins a body only if a brace, or a name and a brace, follow.
    return isMark(next, '{') || (head.length === 1 && !isMark(next) && isMark(this.#token(this.#skipComments(this.#nextAt() + 1)), '{'))
  }

  #block(): Block {
    const opening: FormatToken[] = []
    this.#takeNext(opening)
    opening.pop()
    const isBroken = this.#token(this.#at).breaks > 0
    opening.push(...this.#sameLineComments())
    const entries: Entry[] = []
    const before: FormatToken[] = []
    for (;;) {
      this.#takeNext(before)
      const first = before.pop() ?? END
      if (first === END || isMark(first, ']')) return { isBroken, opening, entries, closing: before }
      // A superfluous separator. The comments before it belong to the next attribute.
      if (isMark(first, ',', ';')) continue
      const all = [first]
      while (isMark(all.at(-1), '=') || isMark(this.#next(), '=')) this.#takeNext(all)
      const { comments, tokens } = separateComments(all)
      entries.push({ before: [...before.splice(0), ...comments], tokens, after: this.#trailingComments([',', ';']) })
    }
  }

  /** Skips the separators behind an element. Returns its comments: those before the separators, and those behind it on the line. */
  #trailingComments(separators: readonly string[]): FormatToken[] {
    const after: FormatToken[] = []
    while (isMark(this.#next(), ...separators)) {
      this.#takeNext(after)
      after.pop()
    }
    return [...after, ...this.#sameLineComments()]
  }

  /**
   * Returns the comments behind a token up to the end of its line; none if something else follows on the line, because the comments then
   * belong to it.
   */
  #sameLineComments(): FormatToken[] {
    let end = this.#at
    while (this.#token(end).kind === 'comment' && this.#token(end).breaks === 0) end++
    const next = this.#token(end)
    if (next.breaks === 0 && !isMark(next, ']', '}')) return []
    const comments = this.#tokens.slice(this.#at, end)
    this.#at = end
    return comments
  }

  /** Takes the next token that is not a comment, and the comments before it. At the end, it takes a mark without text. */
  #takeNext(into: FormatToken[]): void {
    const at = this.#nextAt()
    into.push(...this.#tokens.slice(this.#at, at), this.#token(at))
    this.#at = at + 1
  }

  #take(): FormatToken {
    return this.#token(this.#at++)
  }

  #next(): FormatToken {
    return this.#token(this.#nextAt())
  }

  #nextAt(): number {
    return this.#skipComments(this.#at)
  }

  #skipComments(from: number): number {
    let at = from
    while (this.#token(at).kind === 'comment') at++
    return at
  }

  #token(at: number): FormatToken {
    return this.#tokens[at] ?? END
  }
}

/** Separates comments from other tokens. A blank line before them stays before all of them. */
function separateComments(all: readonly FormatToken[]): { comments: FormatToken[]; tokens: FormatToken[] } {
  const tokens = all.filter(({ kind }) => kind !== 'comment')
  const [comment, ...comments] = all.filter(({ kind }) => kind === 'comment')
  const [first, ...others] = tokens
  if (comment === undefined || first === undefined) return { comments: [], tokens }
  return { comments: [{ ...comment, breaks: first.breaks }, ...comments.map(withOneBreak)], tokens: [withOneBreak(first), ...others] }
}

/** Returns the token on the next line. */
function withOneBreak(token: FormatToken): FormatToken {
  return { ...token, breaks: 1 }
}

/** True if a token is one of these marks, or any mark if none is given. */
function isMark(token: FormatToken | undefined, ...marks: readonly string[]): boolean {
  return token?.kind === 'mark' && (marks.length === 0 || marks.includes(token.text))
}
