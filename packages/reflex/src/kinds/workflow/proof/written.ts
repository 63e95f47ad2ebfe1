import { add } from '../key-flow.ts'
import type { Prover } from './prover.ts'
import type { Sheet, Stop } from './sheet.ts'

/** A key that is wanted at a node: when it is decided at, or already when it is entered, before its call. */
export interface Wanted {
  readonly place: number
  readonly key: string
  readonly entered?: boolean
}

/** Whether a key is written before: on every path, on some path as far as paths alone tell, or on none. */
export type Before = 'surely' | 'perhaps' | 'never' | 'unknown'

/**
 * What was written before each want, by paths alone, whatever guards say. `alone`: the workflow starts by itself, so that
 * what it inherits is there. `unknown` where nothing is known to write it, but something may.
 *
 * Keys are carried along the graph 32 at a time, one bit each, so that thousands of nodes with thousands of keys stay a
 * matter of milliseconds.
 */
export function writtenBefore(prover: Prover, sheet: Sheet, wants: readonly Wanted[], alone: boolean): Before[] {
  const byKey = new Map<string, number[]>()
  for (const [i, { key }] of wants.entries()) add(byKey, key, i)
  const keys = [...byKey.keys()]
  const answers: Before[] = wants.map(() => 'never')
  const strangers = strangersBefore(sheet)
  const ground = groundOf(prover, sheet)
  for (let first = 0; first < keys.length; first += 32) {
    const group = keys.slice(first, first + 32)
    const flow = carry(sheet, ground, group, alone)
    for (const [bit, key] of group.entries()) {
      for (const i of byKey.get(key) ?? []) {
        const { place, entered } = wants[i] ?? { place: 0 }
        const may = entered === true ? flow.mayIn : flow.mayAt
        if (((flow.sureIn[place] ?? 0) >>> bit) & 1) answers[i] = 'surely'
        else if (((may[place] ?? 0) >>> bit) & 1) answers[i] = 'perhaps'
        else if (strangers[place] === true) answers[i] = 'unknown'
      }
    }
  }
  return answers
}

/** For each node, as bits, which of the keys were written when it is entered, and when it is decided at. */
interface Flow {
  readonly sureIn: Int32Array
  readonly mayIn: Int32Array
  readonly mayAt: Int32Array
}

/** Who writes what, and who comes right before whom. */
interface Ground {
  readonly before: readonly (readonly number[])[]
  readonly sure: ReadonlyMap<string, readonly number[]>
  readonly perhaps: ReadonlyMap<string, readonly number[]>
  readonly returned: ReadonlyMap<string, readonly number[]>
}

function groundOf(prover: Prover, sheet: Sheet): Ground {
  const [sure, perhaps, returned] = [new Map<string, number[]>(), new Map<string, number[]>(), new Map<string, number[]>()]
  for (const [place, stop] of sheet.stops.entries()) {
    for (const key of surelyWritten(stop)) add(sure, key, place)
    for (const { key } of [...stop.flow.writes, ...stop.flow.ways.flatMap(({ writes }) => writes)]) add(perhaps, key, place)
    const { invokes } = stop
    const child = invokes === undefined ? undefined : prover.sheetOf(invokes.workflowId)
    for (const { parentKey, childKey } of invokes?.returnMap ?? []) {
      const given = invokes?.inputMap?.some(({ to }) => to === childKey) === true
      if (child === undefined || given || prover.mayWrite(child, childKey)) add(returned, parentKey, place)
    }
  }
  const before = sheet.stops.map(({ arriving }) => arriving.flatMap(({ from }) => (sheet.stops[from]?.linked === true ? [from] : [])))
  return { before, sure, perhaps, returned }
}

function surelyWritten({ flow }: Stop): Set<string> {
  const keys = new Set(flow.writes.flatMap(({ key, sure }) => (sure ? [key] : [])))
  const [first, ...others] = flow.ways.map(({ writes }) => new Set(writes.flatMap(({ key, sure }) => (sure ? [key] : []))))
  for (const key of first ?? []) if (others.every((way) => way.has(key))) keys.add(key)
  return keys
}

function carry(sheet: Sheet, { before, sure, perhaps, returned }: Ground, keys: readonly string[], alone: boolean): Flow {
  const count = sheet.stops.length
  const flow: Flow = { sureIn: new Int32Array(count), mayIn: new Int32Array(count), mayAt: new Int32Array(count) }
  const bitsOf = (of: ReadonlyMap<string, readonly number[]>): Int32Array => {
    const bits = new Int32Array(count)
    for (const [bit, key] of keys.entries()) for (const place of of.get(key) ?? []) bits[place] = (bits[place] ?? 0) | (1 << bit)
    return bits
  }
  const [sureBits, perhapsBits, returnedBits] = [bitsOf(sure), bitsOf(perhaps), bitsOf(returned)]
  let given = 0
  if (alone) for (const [bit, key] of keys.entries()) if (!sheet.initial(key).absent) given |= 1 << bit
  for (let place = 0; place < count; place++) {
    let [all, some] = place === sheet.entry ? [given, given] : [-1, 0]
    for (const from of before[place] ?? []) {
      all &= (flow.sureIn[from] ?? 0) | (sureBits[from] ?? 0)
      some |= (flow.mayAt[from] ?? 0) | (perhapsBits[from] ?? 0)
    }
    flow.sureIn[place] = all
    flow.mayIn[place] = some
    flow.mayAt[place] = some | (returnedBits[place] ?? 0)
  }
  return flow
}

/** Whether somebody of whom nothing is known comes before each node. */
function strangersBefore(sheet: Sheet): boolean[] {
  const before: boolean[] = []
  for (const { arriving } of sheet.stops) {
    before.push(arriving.some(({ from }) => before[from] === true || sheet.stops[from]?.flow.unknown === true))
  }
  return before
}
