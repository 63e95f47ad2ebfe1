import { Fault, type FaultData, type FaultDetails, isFault } from '../../../kernel/index.ts'
import { faults } from '../model/faults.ts'

type TreeCode = keyof typeof faults.entries

/** A class of errors under its name of the seed. */
interface ErrorClass {
  new (message: string, details?: FaultDetails, code?: TreeCode): Fault
  readonly codes: readonly TreeCode[]
}

/**
 * Makes a class of errors from the codes that it stands for. Every fault with one of these codes is an instance, also one that a run has
 * stored or that another copy of this package made.
 */
function errorClass(name: string, codes: readonly [TreeCode, ...TreeCode[]], fits: (fault: FaultData) => boolean = () => true): ErrorClass {
  const Named = class extends Fault {
    static readonly codes = codes
    override readonly name = name

    constructor(message: string, details: FaultDetails = {}, code: TreeCode = codes[0]) {
      super(code, message, faults.entries[code].verdict, details)
    }

    static override [Symbol.hasInstance](value: unknown): boolean {
      // A class that extends this one has its own instances only.
      if (this !== Named) return Function.prototype[Symbol.hasInstance].call(this, value)
      return isFault(value) && codes.some((code) => code === value.code) && fits(value)
    }
  }
  Object.defineProperty(Named, 'name', { value: name })
  return Named
}

const DEFINITION = ['R1202', 'R1205', 'R1206', 'R1224', 'R1225', 'R1226', 'R1232'] as const

const isAboutSchema = ({ data }: FaultData): boolean => data?.['schema'] !== undefined

export const BlackboardKeyError = errorClass('BlackboardKeyError', ['R1211', 'R1213'])
export const BlackboardValidationError = errorClass('BlackboardValidationError', ['R1212'])
export const BlackboardSizeExceededError = errorClass('BlackboardSizeExceededError', ['R1214'])
export const TreeNotFoundError = errorClass('TreeNotFoundError', ['R1231'])
export const TreeInUseError = errorClass('TreeInUseError', ['R1237'])
export const InvalidResumeTokenError = errorClass('InvalidResumeTokenError', ['R1238'])
export const LuaSyntaxError = errorClass('LuaSyntaxError', ['R1241'])
export const LuaTimeoutError = errorClass('LuaTimeoutError', ['R1243'])
export const SubtreeNotFoundError = errorClass('SubtreeNotFoundError', ['R1204'])
export const FunctionNotFoundError = errorClass('FunctionNotFoundError', ['R1203'])
export const SchemaValidationError = errorClass('SchemaValidationError', ['R1202'], isAboutSchema)
export const TreeDefinitionError = errorClass('TreeDefinitionError', DEFINITION)
/** Everything that can be wrong with a file of a tree: the classes above for files, and the rest. */
export const TreeLoadError = errorClass('TreeLoadError', ['R1201', 'R1203', 'R1204', 'R1235', 'R1241', 'R1262', ...DEFINITION])

const LuaFailure = errorClass('LuaExecutionError', ['R1242'])

/**
 * A script of Lua that failed. Every fault `R1242` is an instance; one that was not made by this class or by `namedError` has its traceback in
 * `data.lua_traceback` and its line in `line`.
 */
export class LuaExecutionError extends LuaFailure {
  constructor(message: string, luaTraceback?: string, lineNumber?: number, details: FaultDetails = {}) {
    super(message, {
      ...details,
      // The cause of an error is not enumerable.
      cause: details.cause,
      rule: 'E5002',
      line: lineNumber ?? details.line,
      data: { ...details.data, ...(luaTraceback === undefined ? {} : { lua_traceback: luaTraceback }) },
    })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === LuaExecutionError ? value instanceof LuaFailure : Function.prototype[Symbol.hasInstance].call(this, value)
  }

  get luaTraceback(): string | undefined {
    const traceback = this.data?.['lua_traceback']
    return typeof traceback === 'string' ? traceback : undefined
  }

  get lineNumber(): number | undefined {
    return this.line
  }
}

/** The classes, those for few codes first. */
const CLASSES: readonly ErrorClass[] = [
  BlackboardKeyError,
  BlackboardValidationError,
  BlackboardSizeExceededError,
  TreeNotFoundError,
  TreeInUseError,
  InvalidResumeTokenError,
  LuaSyntaxError,
  LuaTimeoutError,
  SubtreeNotFoundError,
  FunctionNotFoundError,
  SchemaValidationError,
  TreeDefinitionError,
  TreeLoadError,
]

/** Returns a fault as an error of the class that the seed names for it. A fault that has no class of its own is returned unchanged. */
export function namedError(fault: Fault): Fault {
  if (isOf(LuaFailure, fault)) return new LuaExecutionError(fault.message, undefined, undefined, fault)
  const Class = CLASSES.find((one) => isOf(one, fault))
  const code = Class?.codes.find((one) => one === fault.code)
  return Class === undefined ? fault : new Class(fault.message, fault, code)
}

/** Does not narrow: to the compiler, a fault that is no instance would be no fault. */
function isOf(Class: ErrorClass, fault: unknown): boolean {
  return fault instanceof Class
}

/** A refusal to load a tree: the class of its first mistake, with all of them. */
export type LoadRefusal = Fault & { readonly errors: readonly Fault[] }

/** Returns the error for everything that is wrong with a tree, after its first mistake. The message has the first three. */
export function loadError(errors: readonly [Fault, ...Fault[]]): LoadRefusal {
  const [first] = errors
  const shown = errors.slice(0, 3).map(({ message }) => message)
  const more = errors.length > shown.length ? [`and ${errors.length - shown.length} more`] : []
  const named = namedError(withMessage(first, [...shown, ...more].join('; ')))
  return Object.assign(named, { errors })
}

function withMessage(fault: Fault, message: string): Fault {
  return new Fault(fault.code, message, fault.verdict, fault)
}
