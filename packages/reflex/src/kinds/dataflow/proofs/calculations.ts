import type { EventForm } from '../adapter/event-form.ts'
import { nodeName } from '../model/graph.ts'
import type { Plan } from '../pass/plan.ts'
import { candidates, keysOf, partOf } from './candidates.ts'
import type { Known } from './known.ts'
import type { Lint } from './lint.ts'
import { failsLater } from './sequence.ts'
import { solve } from './solve.ts'
import type { Suspect } from './symbolic-pass.ts'
import { eventText, tryEvent, type Witness } from './witness.ts'

/** The most events of which each is repeated. */
const MOST_REPEATED = 24

const CERTAIN: Readonly<Record<Suspect['what'], string>> = {
  zero: 'divides by 0 in every pass',
  overflow: 'has a result that is too large for a number in every pass',
  size: 'has a size that is not a whole number above 0, so every pass fails',
}

/** Finds calculations that fail for every event, as errors, and those that fail for an event that it names. */
export function* failingCalculations(known: Known): Generator<Lint> {
  const { kinds, plan } = known
  const nodes = [...new Set(kinds.flatMap(({ suspects }) => suspects.map(({ node }) => node)))]
  for (const index of nodes) {
    const node = plan.graph.nodes[index]
    const suspects = kinds.map((kind) => kind.suspects.find((one) => one.node === index))
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
    const { form, pass } = kind
    const suspect = kind.suspects.find(({ node }) => node === index)
    const node = known.plan.graph.nodes[index]?.id
    if (form === undefined || suspect === undefined || node === undefined) continue
    const divisor = part.nodes.find((planned) => planned.index === index)?.inputs.find(({ port }) => port === 'b')?.from
    const solved = suspect.what === 'zero' ? solve(part, divisor, 0) : undefined
    const tried = candidates(known, kind, part)
    const isFirst = [...(solved?.keys() ?? [])].every((key) => !pass.isMemory(key))
    for (const values of solved === undefined || !isFirst ? tried : [solved, ...tried]) {
      const witness = tryEvent(known, part, { form, values })
      if (witness !== undefined && fails(witness, node)) return failureText(witness, form, part)
    }
    if (!keysOf(part).some((key) => pass.isMemory(key))) continue
    for (const values of tried.slice(0, MOST_REPEATED)) {
      const late = failsLater(known, { form, values, node })
      if (late !== undefined) return `${failureText(late.witness, form, part)}, ${late.count} times in a row`
    }
  }
  return undefined
}

function fails({ result }: Witness, node: string): boolean {
  return 'error' in result && result.error.node === node
}

function failureText({ result, payload }: Witness, form: EventForm, part: Plan): string {
  const isDivision = 'error' in result && result.error.detail === 'DivisionByZero'
  const what = isDivision ? 'divides by 0' : 'has a result that is too large for a number'
  return `${what}: for ${eventText(form, payload, keysOf(part))}`
}
