import type { Json } from '../../../kernel/index.ts'
import { quote, quoteAll, suggest, valueAt } from '../../../text/index.ts'
import type { Slot } from '../model/slot.ts'
import type { ReferenceText } from './parse.ts'
import type { TemplateProblem } from './problem.ts'
import { EXECUTION_FIELDS, type Root, ROOTS, type TemplateScope, type TemplateValues, UNSAFE_NAMES } from './scope.ts'

/** A reference that was checked: a slot, or a path below a root. */
export interface Reference {
  readonly text: string
  readonly slot?: Slot | undefined
  readonly root?: Root | undefined
  readonly path: readonly (string | number)[]
}

/** Returns the reference that a text names, or what is wrong with it (rules 1, 2 and 6 of reference skill 1.5). */
export function checkReference(written: ReferenceText, scope: TemplateScope): Reference | TemplateProblem {
  const [first = '', ...path] = written.segments
  const name = String(first)
  const unsafe = written.segments.find((segment) => UNSAFE_NAMES.has(String(segment)))
  if (unsafe !== undefined) return wrong(written, `${quote(String(unsafe))} cannot be part of a path`, 'use another name')
  if (isRoot(name)) return rooted(written, name, path, scope)
  const slot = scope.slots.get(name)
  if (slot === undefined) return unknownSlot(written, name, scope)
  if (path.length > 0)
    return wrong(written, `the slot ${quote(name)} has no fields here`, `write {{${name}}}, with "| json" for its whole value`)
  return { text: written.text, slot, path }
}

function rooted(written: ReferenceText, root: Root, path: Reference['path'], scope: TemplateScope): Reference | TemplateProblem {
  if (!scope.roots.has(root))
    return wrong(written, `${quote(root)} cannot be read here`, 'use slots and the blackboard, which are fixed before the run')
  if (path.length === 0) return wrong(written, `${quote(root)} needs a path`, `write the path of a value: ${root}.name`)
  const problem = root === 'steps' ? stepProblem(written, path, scope) : root === 'exec' ? executionProblem(written, path) : undefined
  return problem ?? { text: written.text, root, path }
}

function stepProblem(written: ReferenceText, [id, result]: Reference['path'], scope: TemplateScope): TemplateProblem | undefined {
  const step = String(id)
  const known = [...scope.steps]
  if (!scope.steps.has(step)) {
    const fix = known.length === 0 ? 'no step runs before this place' : `the steps before this place are ${quoteAll(known)}`
    return wrong(written, `no earlier step is called ${quote(step)}`, fix, suggest(step, known))
  }
  return result === 'result' ? undefined : wrong(written, 'a step has only a result', `write steps.${step}.result and its path`)
}

function executionProblem(written: ReferenceText, path: Reference['path']): TemplateProblem | undefined {
  const field = String(path[0])
  if (path.length === 1 && EXECUTION_FIELDS.some((known) => known === field)) return undefined
  return wrong(
    written,
    `the execution has no ${quote(path.join('.'))}`,
    `write one of ${quoteAll(EXECUTION_FIELDS)}`,
    suggest(field, EXECUTION_FIELDS),
  )
}

function unknownSlot(written: ReferenceText, name: string, { slots }: TemplateScope): TemplateProblem {
  const names = [...slots.keys()]
  const guess = suggest(name, [...names, ...ROOTS])
  const fix =
    guess !== undefined
      ? `write ${quote(guess)}`
      : `declare it in signature.inputs, or write its root: one of ${ROOTS.map((root) => `${root}.`).join(', ')}`
  return wrong(written, `there is no slot ${quote(name)}`, fix, guess)
}

/** Returns the value of a reference, using only own properties of objects and elements of lists; undefined if there is none. */
export function valueOf({ slot, root, path }: Reference, values: TemplateValues): Json | undefined {
  if (slot !== undefined) return valueAt(values.slots, [slot.name]) as Json | undefined
  let at: unknown = root === undefined ? undefined : values[root]
  // A list has an own property "length", which is no element.
  for (const step of path) at = Array.isArray(at) === (typeof step === 'number') ? valueAt(at, [step]) : undefined
  return at as Json | undefined
}

function isRoot(name: string): name is Root {
  return ROOTS.some((root) => root === name)
}

function wrong({ offset, length }: ReferenceText, message: string, fix: string, guess?: string): TemplateProblem {
  return { rule: 'E_TEMPLATE_REF', message, fix, guess, offset, length }
}
