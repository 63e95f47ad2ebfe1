import { didYouMean, quote, shortJson, suggest } from '../../../text/index.ts'
import { ATTRIBUTE_TYPES, type AttributeFact } from './attribute.ts'
import { NODE_ATTRIBUTES } from './attributes-node.ts'
import { CANONICAL_TYPES, CHOICES } from './canonical-types.ts'
import { compileFaults } from './faults.ts'
import type { OperationFacts } from './operation-facts.ts'
import { dispatchOf } from './type-names.ts'
import { IDEMPOTENCIES } from './resolution.ts'

const NAME = /^[A-Za-z_][\w.-]{0,99}$/

/** A problem of an operation, and its fix. */
interface Problem {
  readonly message: string
  readonly fix: string
}

/** Throws `R1165` for the first operation that conflicts with another or has a wrong description. */
export function checkOperations(operations: readonly OperationFacts[]): void {
  const taken = new Map<string, string>()
  for (const operation of operations) {
    const problem = ownProblem(operation) ?? takenProblem(operation, taken)
    if (problem === undefined) continue
    const { name } = operation
    throw compileFaults.make('R1165', `module "pipeline": the operation ${shown(name)} ${problem.message}`, { fix: problem.fix })
  }
}

function ownProblem(operation: OperationFacts): Problem | undefined {
  const { name, types = [name], parameters, repeat } = operation
  const shape = shapeProblem(operation)
  if (shape !== undefined) return shape
  for (const one of [name, ...types]) {
    if (typeof one === 'string' && NAME.test(one)) continue
    return { message: `has the name ${shown(one)}`, fix: 'write a name of letters, digits, points, dashes and underscores' }
  }
  if (!IDEMPOTENCIES.includes(repeat)) return unknownWord('an unknown repeat', repeat, IDEMPOTENCIES)
  for (const [attribute, fact] of Object.entries(parameters)) {
    const problem = parameterProblem(attribute, fact)
    if (problem !== undefined) return problem
  }
  return dispatchProblem(operation) ?? attributesProblem(operation)
}

/** Finds a member that is neither a list nor a function. JavaScript callers have no compiler that checks this. */
function shapeProblem(operation: OperationFacts): Problem | undefined {
  const members: Readonly<Record<string, unknown>> = { ...operation }
  const isWrong = (name: string): boolean => {
    const value = members[name]
    if (value === undefined) return false
    return !Array.isArray(value) && !(typeof value === 'function' && BY_NODE.includes(name))
  }
  const list = [...LISTS, ...BY_NODE].find(isWrong)
  if (list !== undefined) return { message: `has ${list} that is not a list`, fix: `write a list as ${list}` }
  const { parameters } = members
  if (typeof parameters === 'object' && parameters !== null) return undefined
  return { message: 'has no parameters', fix: 'write an object of attributes as parameters; {} for none' }
}

const LISTS: readonly string[] = ['types', 'dispatch', 'usual']
/** Lists that can also be functions of a node. */
const BY_NODE: readonly string[] = ['reads', 'writes', 'requires']

function parameterProblem(name: string, fact: AttributeFact): Problem | undefined {
  const problem = formProblem(name, fact.form)
  if (problem !== undefined || (typeof fact.does === 'string' && Array.isArray(fact.aliases))) return problem
  return { message: `has the parameter ${quote(name)} that attribute() has not made`, fix: 'write it with attribute(type, text)' }
}

function formProblem(name: string, form: AttributeFact['form']): Problem | undefined {
  if (typeof form === 'string')
    return isType(form) ? undefined : unknownWord(`a parameter ${quote(name)} of the unknown type`, form, ATTRIBUTE_TYPES)
  const words: unknown = typeof form === 'object' && form !== null && 'list' in form ? form.list : form
  if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string')) return undefined
  return {
    message: `has the parameter ${quote(name)} without a type`,
    fix: `write one of ${ATTRIBUTE_TYPES.join(', ')}, or a list of words`,
  }
}

function isType(form: string): boolean {
  return ATTRIBUTE_TYPES.some((type) => type === form)
}

function unknownWord(what: string, word: unknown, known: readonly string[]): Problem {
  const guess = typeof word === 'string' ? suggest(word, known) : undefined
  const meant = guess === undefined ? '' : `; ${didYouMean(guess) ?? ''}`
  return {
    message: `has ${what} ${shown(word)}${meant}`,
    fix: guess === undefined ? `write one of ${known.join(', ')}` : `write ${quote(guess)}`,
  }
}

/** Shows a value that may have any type: JavaScript callers have no compiler. */
function shown(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  return value === undefined ? 'undefined' : shortJson(value)
}

function dispatchProblem(operation: OperationFacts): Problem | undefined {
  for (const { type, by = {} } of dispatchOf(operation)) {
    if (!CANONICAL_TYPES.includes(type)) return unknownWord('an unknown dispatch type', type, CANONICAL_TYPES)
    const attribute = CHOICES[type]?.attribute
    const [first = attribute, second = 'op'] = Object.keys(by)
    if (first === attribute && second === 'op') continue
    const fix = attribute === undefined ? 'leave `by` out' : `choose by ${attribute}, or by ${attribute} and op`
    return { message: `is dispatched by ${Object.keys(by).join(' and ')}, by which nodes of type ${type} do not choose`, fix }
  }
  return undefined
}

/** Finds an attribute that the operation reads, writes to or requires and does not declare. */
function attributesProblem({ parameters, reads = [], writes = [], requires = [], usual = [] }: OperationFacts): Problem | undefined {
  const known = [...namesOf(parameters), ...namesOf(NODE_ATTRIBUTES)]
  const used = [
    ...(typeof reads === 'function' ? [] : reads.map(({ attribute }) => attribute)),
    ...(typeof writes === 'function' ? [] : writes.map(({ attribute = '' }) => attribute)),
    ...(typeof requires === 'function' ? [] : requires.flatMap((group) => group.split('|'))),
    ...usual,
  ]
  const wrong = used.find((name) => name !== '' && !known.includes(name))
  return wrong === undefined ? undefined : unknownWord('an unknown attribute', wrong, known)
}

function namesOf(attributes: OperationFacts['parameters']): string[] {
  return Object.entries(attributes).flatMap(([name, { aliases }]) => [name, ...aliases])
}

function takenProblem(operation: OperationFacts, taken: Map<string, string>): Problem | undefined {
  const { name, types = [name] } = operation
  const claims = [
    `the name ${quote(name)}`,
    ...types.map((type) => `the type name ${quote(type)}`),
    ...dispatchOf(operation).flatMap(({ type, by }) => (by === undefined ? [] : [`${Object.values(by).join(' ')} of type ${type}`])),
  ]
  for (const claim of claims) {
    const other = taken.get(claim)
    if (other !== undefined) return { message: `takes ${claim}, which ${quote(other)} has`, fix: 'give one of them another name' }
    taken.set(claim, name)
  }
  const type = types.find((one) => CANONICAL_TYPES.some((canonical) => canonical === one))
  return type === undefined
    ? undefined
    : { message: `takes the type name ${quote(type)}, which is a type of the language`, fix: 'give it another name' }
}
