/** What is left to do for a request, and what can be answered. */
import { BESIDES, FOUND_BY, PROCEDURES, type Procedure, type Step } from './procedures.ts'

export type Facts = ReadonlyMap<string, string | number>

/** A request that was understood. */
export interface Understood {
  readonly steps: readonly Step[]
  readonly answers: readonly Procedure['answers'][]
  /** Facts that stand in the text. */
  readonly facts: Facts
}

const IDS = [
  ['order_id', /\bA-\d+/],
  ['ticket_id', /\bT-\d+/],
  ['other_id', /same as (T-\d+)/],
  ['customer_id', /\bC-\d+/],
  ['day', /\b(?:Mon|Tues|Wednes|Thurs|Fri)day\b/],
  ['address', /to (\d+ [A-Z]\w+ [A-Z]\w+) instead/],
] as const

/** Understands a request: its wording says what is wanted. Two procedures with the same wordings are the same until more is known. */
export function understand(text: string): Understood {
  const facts = new Map<string, string | number>()
  for (const [name, pattern] of IDS) {
    const found = pattern.exec(text)
    if (found !== null) facts.set(name, found[1] ?? found[0])
  }
  const besides = BESIDES.filter(({ wording }) => matches(wording, text))
  const procedure = Object.values(PROCEDURES).find(({ wordings }) => wordings.some((wording) => matches(wording, text)))
  if (procedure === undefined) throw new Error(`nobody understands: ${text}`)
  const those = (place: 'before' | 'after'): typeof besides => besides.filter((one) => one.place === place)
  const steps = [...those('before').map(({ step }) => step), ...procedure.steps, ...those('after').map(({ step }) => step)]
  const answers = [
    ...those('before').map(({ answer }) => [{ text: answer }]),
    procedure.answers,
    ...those('after').map(({ answer }) => [{ text: answer }]),
  ]
  return { steps: steps.filter((step, i) => steps.findIndex(({ tool }) => tool === step.tool) === i), answers, facts }
}

const PLACES = /\{(\w+)\}/g
const SHAPES: Readonly<Record<string, string>> = {
  order: 'A-\\d+',
  ticket: 'T-\\d+',
  other: 'T-\\d+',
  customer: 'C-\\d+',
  day: '[A-Z][a-z]+day',
  address: '\\d+ [A-Z]\\w+ [A-Z]\\w+',
}

function matches(wording: string, text: string): boolean {
  const plain = wording.replace(/[.?()]/g, '\\$&').replace(PLACES, (_, name: string) => SHAPES[name] ?? '')
  return new RegExp(plain).test(text)
}

/** True if a step is right, false if it is not; undefined while the fact is unknown. */
function isRight({ when }: Pick<Step, 'when'>, facts: Facts): boolean | undefined {
  if (when === undefined) return true
  const known = factOf(when[0], facts)
  return known === undefined ? undefined : known === when[1]
}

function factOf(name: string, facts: Facts): string | number | undefined {
  const pieces = facts.get('pieces')
  if (name === 'in_stock' && !facts.has(name)) return pieces === undefined ? undefined : Number(pieces) > 0 ? 'yes' : 'no'
  return facts.get(name)
}

/** Returns the facts with those that follow from what is done: a step that was right once had its condition. */
export function implied({ steps }: Understood, done: ReadonlySet<string>, facts: Facts): Facts {
  return new Map([...steps.flatMap(({ tool, when }) => (when !== undefined && done.has(tool) ? [when] : [])), ...facts])
}

/** Returns the steps that are left, as far as it is known which are right. */
export function left({ steps }: Understood, done: ReadonlySet<string>, facts: Facts): readonly Step[] {
  return steps.filter((step) => !done.has(step.tool) && isRight(step, facts) !== false)
}

/** Returns the step to do now for another one: the one that finds what it needs, or the step itself. */
export function ready(step: Step, facts: Facts): Step {
  const needed = [...Object.values(step.args).flatMap(namesIn), ...(step.when === undefined ? [] : [step.when[0]])]
  const unknown = needed.find((name) => factOf(name, facts) === undefined)
  const finder = unknown === undefined ? undefined : FOUND_BY[unknown]
  return finder === undefined || finder.tool === step.tool ? step : ready(finder, facts)
}

/** Returns the answer, or the step that finds what it needs. */
export function answer({ answers }: Understood, facts: Facts): string | Step {
  const said: string[] = []
  for (const choices of answers) {
    for (const { text, when } of choices) {
      const right = isRight(when === undefined ? {} : { when }, facts)
      if (right === false) continue
      const needed = [...(when === undefined ? [] : [when[0]]), ...namesIn(text)]
      const unknown = needed.find((name) => factOf(name, facts) === undefined)
      const finder = unknown === undefined ? undefined : FOUND_BY[unknown]
      if (finder !== undefined) return ready(finder, facts)
      said.push(text.replace(/\$(\w+)/g, (_, name: string) => String(factOf(name, facts) ?? '')))
      break
    }
  }
  return said.join(' ')
}

/** Returns the facts that a request needs and that are not known: for steps besides those of some tools, and for the answer. */
export function missing({ answers }: Understood, rest: readonly Step[], facts: Facts): readonly string[] {
  const ofSteps = rest.flatMap(({ args, when }) => [...Object.values(args).flatMap(namesIn), ...(when === undefined ? [] : [when[0]])])
  const ofAnswers = answers.flatMap((choices) => namesIn(choices[0]?.text ?? ''))
  return [...new Set([...ofSteps, ...ofAnswers])].filter((name) => factOf(name, facts) === undefined)
}

/** Returns the arguments of a step with their facts. */
export function argumentsOf({ args }: Step, facts: Facts): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, value.startsWith('$') ? (factOf(value.slice(1), facts) ?? '') : value]),
  )
}

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/\$(\w+)/g)].map(([, name = '']) => name)
}
