import type { Json } from '../../../src/kernel/journal/json.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'
import type { Port } from '../../../src/kernel/ports/port.ts'
import { textOf } from './text.ts'

/** A leaf: it streams a text, sleeps, or runs a subtree that sees the board live. */
export type Leaf = { readonly stream: string } | { readonly sleep: number } | { readonly subtree: string }

interface Tree {
  readonly leaves: readonly Leaf[]
  /** Stop the stream as soon as it has said so much. */
  readonly enough?: number
}

type Step = Parameters<Kind<Tree>['step']>[0]

/**
 * Shaped after the tree: all leaves run at once, each in an inner scope; node states are patched; progress of an
 * effect ticks it; a subtree is a strand that sees the board live.
 */
export const react: Kind<Tree> = {
  name: 'react',
  rev: 1,
  board: { tombstones: true, scopes: true, tracks: true, isReserved: '__', limit: 100_000 },
  compile: (source) => source as unknown as Tree,
  calls: ({ leaves }) => leaves.flatMap((leaf) => ('subtree' in leaf ? [leaf.subtree] : [])),
  step(x, input) {
    const leaf = input === undefined ? -1 : leafOf(x, textOf(input[1]))
    switch (input?.[0]) {
      case undefined:
        return begin(x)
      case 'part':
        return streamed(x, leaf, input[2])
      case 'again':
        return x.setIn(scope(x, leaf), 'text', '')
      case 'ok':
        return ended(x, leaf, input[2])
      case 'err':
        return ended(x, leaf, 'FAILURE')
      case 'timer':
        return ended(x, leaf, 'woken')
      case 'end': {
        const kid = x.strandResult(input[1])
        const value = kid?.value ?? null
        x.drop(input[1])
        return ended(x, leaf, value)
      }
      default:
    }
  },
}

function begin(x: Step): void {
  x.setInternal('__ticks', 0)
  x.set('scratch', 'deleted at the end')
  x.def.leaves.forEach((leaf, i) => {
    const inner = x.open()
    x.setIn(inner, 'text', '')
    const what =
      'stream' in leaf
        ? x.request('stream', [leaf.stream])
        : 'sleep' in leaf
          ? x.timer(leaf.sleep)
          : x.spawn(leaf.subtree, { sees: 'live', under: inner, args: { leaf: i } })
    x.patch({ [`leaf${i}`]: [textOf(what), inner] })
  })
}

function positions(x: Step): [string, readonly [string, string]][] {
  return Object.entries((x.position ?? {}) as Record<string, readonly [string, string]>)
}

function leafOf(x: Step, ref: string): number {
  return Number(
    positions(x)
      .find(([, [what]]) => what === ref)?.[0]
      .slice(4) ?? -1,
  )
}

function scope(x: Step, leaf: number): string {
  return positions(x).find(([name]) => name === `leaf${leaf}`)?.[1][1] ?? ''
}

function streamed(x: Step, leaf: number, delta: Json): void {
  const text = textOf(x.getIn(scope(x, leaf), 'text')) + textOf(delta)
  if (x.def.enough === undefined || text.length < x.def.enough) return x.setIn(scope(x, leaf), 'text', text, { from: ['leaf', leaf] })
  x.drop(...x.pendingEffects().map(({ id }) => id))
  ended(x, leaf, `stopped`)
}

function ended(x: Step, leaf: number, value: Json): void {
  x.set(`leaf${leaf}`, value)
  x.shut(scope(x, leaf))
  x.patch({ [`leaf${leaf}`]: null })
  if (positions(x).length > 1) return
  x.delete('scratch')
  x.note({ wrote: [...x.access.writes] })
  x.done({ status: 'SUCCESS', scratch: x.get('scratch') ?? null })
}

/** Streams its argument letter by letter. */
export const streamPort: Port = {
  leaves: false,
  repeat: 'free',
  async perform(call) {
    const [text] = call.args as [string]
    for (const letter of text) {
      await Promise.resolve()
      call.part(letter)
    }
    return text.toUpperCase()
  },
}
