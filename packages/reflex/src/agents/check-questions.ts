import type { z } from 'zod'
import { type Fault, isFault } from '../kernel/index.ts'
import { type Locator, quote } from '../text/index.ts'
import { edgesNamed } from './edges.ts'
import { faults } from './faults.ts'
import { type EdgesOfNode, writtenQuestion } from './person.ts'
import { type PersonSpec, personSpec } from './spec.ts'

/**
 * Returns the mistakes of a question before it is asked: an `otherwise` that is not a valid answer or is never used, two options
 * with the same value, and an option that names no edge. `place` has all edges that leave the node.
 */
export function questionFindings(place: EdgesOfNode, locate: Locator): readonly Fault[] {
  const { node } = place
  // The schema check reports invalid fields; the valid fields are still checked here.
  const fields: Readonly<Record<string, z.ZodType>> = personSpec.shape
  const validFields = Object.entries(node.spec).filter(([name, value]) => fields[name]?.safeParse(value).success)
  const { data: spec } = personSpec.safeParse(Object.fromEntries(validFields))
  if (spec === undefined) return []
  const hasValidTimes = (['due', 'otherwise'] as const).every((name) => node.spec[name] === undefined || spec[name] !== undefined)
  return [...optionFindings(spec, place, locate), ...(hasValidTimes ? timeFindings(spec, place, locate) : [])]
}

function timeFindings(spec: PersonSpec, place: EdgesOfNode, locate: Locator): Fault[] {
  if (spec.otherwise === undefined) return []
  const unused = spec.due === undefined ? [unusedDefault(place.node.id, locate)] : []
  try {
    writtenQuestion(spec, place)
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    // Options whose edges do not exist are reported as such.
    if (thrown.code === 'R4200' || thrown.code === 'R4201') return [Object.assign(thrown, locate(['otherwise'])), ...unused]
  }
  return unused
}

function unusedDefault(id: string, locate: Locator): Fault {
  const fix = 'add "due", such as "3d"'
  return faults.make('R2124', `"otherwise" of ${id} is never used: the question has no "due"`, { ...locate(['otherwise']), fix })
}

function optionFindings({ options = [] }: PersonSpec, { node, validEdges }: EdgesOfNode, locate: Locator): Fault[] {
  const hasSeveral = validEdges.filter(({ guard }) => guard === undefined).length > 1
  const values = options.map((given) => (typeof given === 'string' ? given : (given.value ?? given.event ?? '')))
  return options.flatMap((given, i) => {
    const value = values[i] ?? ''
    const first = values.indexOf(value)
    const place = locate(['options', i])
    if (first < i) {
      const fix = 'give one of them another "value", or remove it'
      return [faults.make('R2123', `options ${first + 1} and ${i + 1} of ${node.id} are both ${quote(value)}`, { ...place, fix })]
    }
    const hasEdge = (typeof given !== 'string' && given.event !== undefined) || edgesNamed(value, validEdges).length > 0
    if (hasEdge || !hasSeveral) return []
    const fix = 'write the "event" of an edge into the option'
    return [faults.make('R2114', `the option ${quote(value)} of ${node.id} names no edge, and several are open`, { ...place, fix })]
  })
}
