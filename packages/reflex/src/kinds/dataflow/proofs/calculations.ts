import { nodeName } from '../model/graph.ts'
import { candidates, keysOf, partOf } from './candidates.ts'
import type { Known } from './known.ts'
import type { Lint } from './lint.ts'
import { solve } from './solve.ts'
import type { Suspect } from './symbolic-pass.ts'
import { eventText, tryEvent } from './witness.ts'

const CERTAIN: Readonly<Record<Suspect['what'], string>> = {
  zero: 'divides by 0 in every pass',
  overflow: 'has a result that is too large for a number in every pass',
  size: 'has a size that is not a whole number above 0, so every pass fails',
}

/** Finds calculations that fail for every event, as errors, and those that fail for an event that it names. */
export function* failingCalculations(known: Known): Generator<Lint> {
  const { kinds, plan } = known
  const nodes = [...new Set(kinds.flatMap(({ pass }) => pass.suspects.map(({ node }) => node)))]
  for (const index of nodes) {
    const node = plan.graph.nodes[index]
    const suspects = kinds.map(({ pass }) => pass.suspects.find((one) => one.node === index))
    const [suspect] = suspects
    if (node === undefined) continue
    const fix = suspects.some((one) => one?.what === 'zero') ? { fix: 'use safe_divide, or state bounds in the schema that exclude 0' } : {}
    if (suspect !== undefined && suspects.every((one) => one?.isCertain === true)) {
      yield { code: 'R1395', message: `${nodeName(node)} ${CERTAIN[suspect.what]}`, node, severity: 'error', ...fix }
      continue
    }
    const found = firstFailure(known, index)
    if (found !== undefined) yield { code: 'R1395', message: `${nodeName(node)} ${found}`, node, ...fix }
  }
}

function firstFailure(known: Known, index: number): string | undefined {
  const part = partOf(known.plan, [index])
  for (const kind of known.kinds) {
    const suspect = kind.pass.suspects.find(({ node }) => node === index)
    if (kind.form === undefined || suspect === undefined) continue
    const divisor = part.nodes.find((planned) => planned.index === index)?.inputs.find(({ port }) => port === 'b')?.from
    const solved = suspect.what === 'zero' ? solve(part, divisor, 0) : undefined
    const tried = candidates(known, kind, part)
    for (const values of solved === undefined ? tried : [solved, ...tried]) {
      const witness = tryEvent(known, part, { form: kind.form, values })
      const error = witness !== undefined && 'error' in witness.result ? witness.result.error : undefined
      if (witness === undefined || error === undefined || error.node !== known.plan.graph.nodes[index]?.id) continue
      const what = error.detail === 'DivisionByZero' ? 'divides by 0' : 'has a result that is too large for a number'
      return `${what}: for ${eventText(kind.form, witness.payload, keysOf(part))}`
    }
  }
  return undefined
}
