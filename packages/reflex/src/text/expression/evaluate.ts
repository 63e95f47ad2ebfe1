import { thrownMessage } from '../../kernel/index.ts'
import { type AnswerCall, type CelFunction, type ExpressionFunction, type ExpressionType, FUNCTIONS } from './functions.ts'
import { printable, quote } from '../printable.ts'
import { ComputedList, ComputedMap, fromJson, type Key, keyOf, phraseOf, Refusal, toJson, typeNameOf, type Value } from './values.ts'
import { AllVariables, elementOf, fieldOf, hasField, partText, variable } from './access.ts'
import { asBoolean, type Code, type Scope, withPlace } from './code.ts'
import { loopCode } from './loops.ts'
import { OPERATORS } from './operators.ts'
import type { Call, Loop, Term } from './terms.ts'

/** The settings for compiling an expression. */
export interface CodeOptions {
  readonly text: string
  /** Returns the message for a variable that does not exist, such as `order is not on the board`. */
  readonly missing: (name: string) => string
  readonly functions: ReadonlyMap<string, ExpressionFunction>
  /** Answers calls of functions that are not declared; without it, they fail. */
  readonly answer: AnswerCall | undefined
}

/**
 * Compiles a term. If one side of `&&` or `||` fails, the other side can still decide the result, as in CEL. `?:` evaluates only one of its
 * branches. Every other term fails with its first operand that fails.
 *
 * The CEL library only parses expressions and matches patterns; evaluation is done here. The evaluator of the library treats a null field
 * as missing, reads the time zone of the machine, counts no steps, and does not report which part failed.
 */
export function codeOf(term: Term, options: CodeOptions): Code {
  switch (term.kind) {
    case 'value':
      return () => term.value
    case 'name':
      return withPlace(term, ({ variables }) => variable(variables, term.name, options.missing))
    case 'given':
      return ({ variables }) => variables.has(term.name)
    case 'whole':
      return ({ variables }) => new AllVariables(variables)
    case 'local':
      return ({ slots }) => slots[term.slot] ?? null
    case 'field':
    case 'has':
      return fieldCode(term, options)
    case 'index':
      return indexCode(term, codeOf(term.of, options), codeOf(term.at, options), options.text)
    case 'and':
    case 'or':
      return logicCode(term, options)
    case 'if':
      return choiceCode(term, options)
    case 'list':
      return listCode(term, options)
    case 'map':
      return mapCode(term, options)
    case 'call':
      return callCode(term, options)
    default:
      return withPlace(term, loopCode(term, loopParts(term, options)))
  }
}

function fieldCode(term: Term & { kind: 'field' | 'has' }, options: CodeOptions): Code {
  const of = codeOf(term.of, options)
  const owner = termText(options.text, term.of)
  const take = term.kind === 'has' ? hasField : fieldOf
  return withPlace(term, (scope) => {
    const value = of(scope)
    return value instanceof Refusal ? value : take(value, term.field, owner)
  })
}

function indexCode(term: Term & { kind: 'index' }, of: Code, at: Code, text: string): Code {
  const owner = termText(text, term.of)
  return withPlace(term, (scope) => {
    const value = of(scope)
    if (value instanceof Refusal) return value
    const index = at(scope)
    return index instanceof Refusal ? index : elementOf(value, index, owner, scope.meter)
  })
}

function termText(text: string, { offset, length }: Term): string {
  return partText(text.slice(offset, offset + length))
}

function loopParts(term: Loop, options: CodeOptions): Parameters<typeof loopCode>[1] {
  return {
    range: codeOf(term.range, options),
    test: term.test === undefined ? () => true : withPlace(term.test, asBoolean(codeOf(term.test, options), `${term.loop}()`)),
    value: term.value === undefined ? undefined : codeOf(term.value, options),
  }
}

function logicCode(term: Term & { kind: 'and' | 'or' }, options: CodeOptions): Code {
  const decisive = term.kind === 'or'
  const sign = decisive ? '||' : '&&'
  const sides = term.terms.map((side) => withPlace(side, asBoolean(codeOf(side, options), sign)))
  return (scope) => {
    let refusal: Refusal | undefined
    for (const side of sides) {
      const value = side(scope)
      if (value === decisive) return decisive
      if (value instanceof Refusal) {
        // When no steps are left, the other side cannot be evaluated either.
        if (value.reason === 'steps') return value
        refusal ??= value
      }
    }
    return refusal ?? !decisive
  }
}

function choiceCode(term: Term & { kind: 'if' }, options: CodeOptions): Code {
  const test = withPlace(term.test, asBoolean(codeOf(term.test, options), '?'))
  const yes = codeOf(term.yes, options)
  const no = codeOf(term.no, options)
  return (scope) => {
    const value = test(scope)
    return value instanceof Refusal ? value : value === true ? yes(scope) : no(scope)
  }
}

function valuesOf(codes: readonly Code[], scope: Scope): Value[] | Refusal {
  const values: Value[] = []
  for (const code of codes) {
    const value = code(scope)
    if (value instanceof Refusal) return value
    values.push(value)
  }
  return values
}

function listCode(term: Term & { kind: 'list' }, options: CodeOptions): Code {
  const items = term.terms.map((item) => codeOf(item, options))
  return (scope) => {
    const values = valuesOf(items, scope)
    return values instanceof Refusal ? values : new ComputedList(values)
  }
}

function mapCode(term: Term & { kind: 'map' }, options: CodeOptions): Code {
  const parts = term.entries.map(([key, value]) => [withPlace(key, keyCode(codeOf(key, options))), codeOf(value, options)] as const)
  return withPlace(term, (scope) => {
    const entries = new Map<Key, Value>()
    for (const [keyPart, valuePart] of parts) {
      const key = keyPart(scope)
      if (key instanceof Refusal) return key
      const value = valuePart(scope)
      if (value instanceof Refusal) return value
      const name = keyOf(key) ?? ''
      const spent = scope.meter.spendKey(name)
      if (spent !== undefined) return spent
      if (entries.has(name)) return new Refusal('range', `the key ${quote(String(name))} occurs twice in one map`)
      entries.set(name, value)
    }
    return new ComputedMap(entries)
  })
}

function keyCode(code: Code): Code {
  return (scope) => {
    const key = code(scope)
    if (key instanceof Refusal || keyOf(key) !== undefined) return key
    return new Refusal('type', `a key must be a text, a whole number, true or false, not ${phraseOf(key)}`)
  }
}

function callCode(term: Call, options: CodeOptions): Code {
  const operator = OPERATORS[term.name]
  const host = options.functions.get(term.name)
  const known: Pick<CelFunction, 'call'> | undefined =
    host === undefined ? (operator ?? FUNCTIONS[term.name] ?? undeclared(term, options)) : callHost(host)
  const args = term.terms.map((arg) => codeOf(arg, options))
  const [left, right] = args
  if (known === undefined) return withPlace(term, () => new Refusal('function', `there is no function ${quote(term.name)} here`))
  // A fast path: almost every call has two operands, and this path needs no list and no loop.
  if (left !== undefined && right !== undefined && args.length === 2)
    return withPlace(term, (scope) => {
      const first = left(scope)
      if (first instanceof Refusal) return first
      const second = right(scope)
      return second instanceof Refusal ? second : known.call([first, second], scope.meter)
    })
  return withPlace(term, (scope) => {
    const values = valuesOf(args, scope)
    return values instanceof Refusal ? values : known.call(values, scope.meter)
  })
}

function undeclared({ name }: Call, { answer }: CodeOptions): Pick<CelFunction, 'call'> | undefined {
  return answer === undefined ? undefined : callHost({ name, params: [], returns: 'any', call: (...args) => answer(name, args) })
}

/**
 * Calls a function of the host with JSON values and returns its result. An exception and a result that does not match the declared type are
 * failures.
 */
function callHost(host: ExpressionFunction): Pick<CelFunction, 'call'> {
  return {
    call(args, meter) {
      const values = []
      for (const [i, arg] of args.entries()) {
        const wanted = host.params[i] ?? 'any'
        if (!fits(arg, wanted)) return new Refusal('type', `${host.name}() takes ${wanted} as argument ${i + 1}, not ${phraseOf(arg)}`)
        const json = toJson(arg, meter)
        if (json instanceof Refusal) return json
        values.push(json)
      }
      const answer = callFunction(host, values)
      if (answer instanceof Refusal || fits(answer, host.returns)) return answer
      return new Refusal('function', `${host.name}() returned ${phraseOf(answer)}, not ${host.returns}`)
    },
  }
}

function callFunction(host: ExpressionFunction, given: Parameters<ExpressionFunction['call']>): Value | Refusal {
  try {
    const answer: unknown = host.call(...given)
    const isPromise = answer instanceof Promise
    // The promise is never awaited. An unhandled rejection would end the process.
    if (isPromise) answer.catch(() => undefined)
    return isPromise ? new Refusal('function', `${host.name}() returned a promise, not a value`) : fromJson(answer)
  } catch (error) {
    return new Refusal('function', `${host.name}() failed: ${messageOf(error)}`)
  }
}

function messageOf(error: unknown): string {
  return printable(thrownMessage(error)).slice(0, 200)
}

function fits(value: Value, type: ExpressionType): boolean {
  if (type === 'any') return true
  const name = typeNameOf(value)
  return name === (type === 'string' ? 'text' : type)
}
