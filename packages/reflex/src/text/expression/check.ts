import type { Fault, FaultDetails } from '../../kernel/index.ts'
import { FUNCTIONS, MAX_PATTERN_COST, patternProblem, type ExpressionFunction, type ExpressionType } from './functions.ts'
import { OPERATORS } from './operators.ts'
import { patternCost } from '../linear-pattern.ts'
import { subterms, type Call, type Term } from './terms.ts'
import type { TextSpan } from '../place.ts'
import { typePhrase, typeNameOf, type TypeName } from './values.ts'
import { faults } from '../faults.ts'
import { quote, quoteAll } from '../printable.ts'
import { didYouMean, suggest, suggester, type Suggester } from '../suggest.ts'

/** The settings of the checks of an expression. */
export interface CheckOptions {
  /** The names of the existing variables; undefined if every name is allowed. */
  readonly names: ReadonlySet<string> | undefined
  readonly functions: ReadonlyMap<string, ExpressionFunction>
  /** True if calls of unknown functions are not mistakes. */
  readonly openFunctions: boolean
  readonly result: 'boolean' | undefined
  readonly locate: (place: TextSpan, note?: string) => FaultDetails
}

/** Operators whose result is a number, a text, a list or a time, and never true or false. */
const NON_BOOLEAN_OPERATORS = ['_+_', '_-_', '-_']
const LOOPS = ['all', 'exists', 'exists_one', 'map', 'filter']

/**
 * Returns the mistakes in a parsed term: unknown names (`R1017`), wrong calls (`R1018`), invalid patterns (`R1016`), patterns that are too
 * large (`R1019`) and impossible types (`R1013`).
 */
export function checkTerm(term: Term, options: CheckOptions): Fault[] {
  const check = new Check(options)
  check.term(term)
  if (options.result === 'boolean') check.checkBoolean(term, 'the result of the expression')
  return check.findings
}

/** Returns the calls of functions that do not exist in a term that was checked, in the order of the text. */
export function unknownCalls(term: Term, functions: CheckOptions['functions']): readonly (TextSpan & { readonly name: string })[] {
  const found: (TextSpan & { readonly name: string })[] = []
  const visit = (inner: Term): void => {
    if (inner.kind === 'call' && !isKnown(inner.name, functions)) found.push({ name: inner.name, ...inner.nameSpan })
    for (const part of subterms(inner)) visit(part)
  }
  visit(term)
  return found.sort((a, b) => a.offset - b.offset)
}

function isKnown(name: string, functions: CheckOptions['functions']): boolean {
  return functions.has(name) || Object.hasOwn(OPERATORS, name) || Object.hasOwn(FUNCTIONS, name)
}

class Check {
  readonly findings: Fault[] = []
  readonly #options: CheckOptions
  readonly #guessName: Suggester
  readonly #known: readonly string[]
  #patterns = 0

  constructor(options: CheckOptions) {
    this.#options = options
    this.#guessName = suggester(options.names ?? [])
    this.#known = [...Object.keys(FUNCTIONS), ...options.functions.keys(), ...LOOPS, 'has']
  }

  term(term: Term): void {
    if (term.kind === 'name' || term.kind === 'given') this.#name(term.name, term)
    if (term.kind === 'call') this.#call(term)
    if (term.kind === 'and' || term.kind === 'or')
      for (const side of term.terms) this.checkBoolean(side, term.kind === 'and' ? 'each side of &&' : 'each side of ||')
    if (term.kind === 'if') this.checkBoolean(term.test, 'the condition of ?')
    if (term.kind === 'loop' && term.test !== undefined) this.checkBoolean(term.test, `the condition of ${term.loop}()`)
    for (const inner of subterms(term)) this.term(inner)
  }

  /** Reports a term that can never be true or false. */
  checkBoolean(term: Term, subject: string): void {
    const type = typeOfTerm(term, this.#options.functions)
    const what =
      type !== undefined
        ? typePhrase(type)
        : term.kind === 'call' && NON_BOOLEAN_OPERATORS.includes(term.name)
          ? 'a sum or difference'
          : undefined
    if (what === undefined || type === 'boolean') return
    const fix = 'compare it with another value, for example with == or >'
    this.findings.push(faults.make('R1013', `${subject} must be true or false, not ${what}`, { ...this.#options.locate(term, what), fix }))
  }

  #name(name: string, place: TextSpan): void {
    const { names } = this.#options
    if (names === undefined || names.has(name)) return
    const guess = this.#guessName(name)
    this.findings.push(
      faults.make('R1017', `there is no name ${quote(name)} here`, {
        ...this.#options.locate(place, didYouMean(guess)),
        fix: guess === undefined ? (names.size === 0 ? 'remove it' : `write one of ${quoteAll([...names])}`) : `write ${quote(guess)}`,
      }),
    )
  }

  #call(call: Call): void {
    const [first] = call.terms
    if (call.name === '!_' && first !== undefined) this.checkBoolean(first, 'the operand of !')
    if (Object.hasOwn(OPERATORS, call.name)) return
    const host = this.#options.functions.get(call.name)
    if (host !== undefined) return this.#hostCall(call, host)
    const known = Object.hasOwn(FUNCTIONS, call.name) ? FUNCTIONS[call.name] : undefined
    if (known === undefined) return this.#unknown(call)
    const count = call.method ? call.terms.length - 1 : call.terms.length
    const [least, most] = (call.method ? known.method : known.plain) ?? [-1, -1]
    if (count < least || count > most) return this.#wrongCall(call, known.usage)
    const pattern = call.terms[1]
    if (call.name === 'matches' && pattern?.kind === 'value' && typeof pattern.value === 'string') this.#pattern(pattern, pattern.value)
  }

  #hostCall(call: Call, host: ExpressionFunction): void {
    if (call.terms.length !== host.params.length || call.method) this.#wrongCall(call, `${host.name}(${host.params.join(', ')})`)
  }

  #wrongCall(call: Call, usage: string): void {
    const details = { ...this.#options.locate(call.nameSpan), fix: `write ${usage}` }
    this.findings.push(faults.make('R1018', `${call.name} must be called as ${usage}`, details))
  }

  #unknown(call: Call): void {
    const loop = call.name === 'existsOne' ? 'exists_one' : call.name
    if (LOOPS.includes(loop)) return this.#wrongCall(call, `list.${call.name}(item, ${loop === 'map' ? 'value' : 'condition'})`)
    if (call.name === 'has') return this.#wrongCall(call, 'has(order.total)')
    if (this.#options.openFunctions && !call.method && !SYNONYMS.has(call.name.toLowerCase())) return
    const guess = SYNONYMS.get(call.name.toLowerCase()) ?? suggest(call.name, this.#known)
    this.findings.push(
      faults.make('R1018', `there is no function ${quote(call.name)}`, {
        ...this.#options.locate(call.nameSpan, didYouMean(guess)),
        fix: guess === undefined ? `write one of ${this.#known.join(', ')}` : `write ${quote(guess)}`,
      }),
    )
  }

  #pattern(place: TextSpan, pattern: string): void {
    this.#patterns += patternCost(pattern)
    if (this.#patterns > MAX_PATTERN_COST) {
      const fix = 'write fewer repetitions, Unicode classes and ranges that ignore case'
      this.findings.push(faults.make('R1019', 'the pattern is too large', { ...this.#options.locate(place), fix }))
      return
    }
    const problem = patternProblem(pattern)
    if (problem === undefined) return
    const details = { ...this.#options.locate(place), fix: 'write a pattern of RE2: no look-around, no back references' }
    this.findings.push(faults.make('R1016', problem, details))
  }
}

/** Names of functions in other languages, each with its name in CEL. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['len', 'size'],
  ['length', 'size'],
  ['count', 'size'],
  ['includes', 'contains'],
  ['match', 'matches'],
  ['test', 'matches'],
  ['any', 'exists'],
  ['some', 'exists'],
  ['every', 'all'],
  ['number', 'double'],
  ['float', 'double'],
  ['str', 'string'],
])

/** Returns the type of a term if it is known without evaluation. */
function typeOfTerm(term: Term, functions: CheckOptions['functions']): TypeName | undefined {
  switch (term.kind) {
    case 'value':
      return typeNameOf(term.value)
    case 'given':
    case 'has':
    case 'and':
    case 'or':
      return 'boolean'
    case 'list':
    case 'map':
      return term.kind
    case 'whole':
      return 'map'
    case 'loop':
      return term.loop === 'map' || term.loop === 'filter' ? 'list' : 'boolean'
    case 'if': {
      const type = typeOfTerm(term.yes, functions)
      return type === typeOfTerm(term.no, functions) ? type : undefined
    }
    case 'call':
      return returnType(term, functions)
    default:
      return undefined
  }
}

function returnType({ name }: Call, functions: CheckOptions['functions']): TypeName | undefined {
  const host = functions.get(name)
  if (host !== undefined) return hostType(host.returns)
  if (Object.hasOwn(OPERATORS, name)) return OPERATORS[name]?.returns
  return Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name]?.returns : undefined
}

function hostType(type: ExpressionType): TypeName | undefined {
  return type === 'any' ? undefined : type === 'string' ? 'text' : type
}
