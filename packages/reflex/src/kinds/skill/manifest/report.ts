import { Fault, type FaultDetails, faultData } from '../../../kernel/index.ts'
import { didYouMean, type JsonText, type Locator, type Path, type PlaceOptions } from '../../../text/index.ts'
import { manifestFaults } from './faults.ts'
import { type ManifestRule, RULES } from './rules.ts'

/** A problem of a manifest and where it is. */
interface Found {
  readonly path: Path
  readonly fault: Fault
}

/** How a problem is shown: the part of the value, and the name that was probably meant. */
export interface ProblemOptions extends PlaceOptions {
  readonly guess?: string | undefined
}

/** Collects the problems of a manifest. A problem below a value that is already refused for its form is not added: it would follow from it. */
export class ManifestReport {
  readonly locate: Locator
  readonly #found: Found[] = []
  readonly #broken = new Set<string>()

  constructor(locate: Locator) {
    this.locate = locate
  }

  /** Adds a broken rule. Its fix is what to write. */
  add(rule: ManifestRule, path: Path, message: string, fix: string, { guess, ...options }: ProblemOptions = {}): void {
    if (this.isBroken(path)) return
    const place = this.locate(path, { ...options, note: options.note ?? didYouMean(guess) })
    this.#found.push({ path, fault: manifestFaults.finding(RULES[rule], message, { ...place, rule, fix }) })
  }

  /** Adds a value without the form of its field. */
  addForm(rule: ManifestRule, path: Path, message: string, fix: string, options: ProblemOptions = {}): void {
    this.add(rule, path, message, fix, options)
    this.#broken.add(pointer(path))
  }

  /** Adds a fault of another room, at its path. */
  addFault(path: Path, fault: Fault): void {
    if (!this.isBroken(path)) this.#found.push({ path, fault })
  }

  /** True for a value that has not the form of its field. */
  isRefused(path: Path): boolean {
    return this.#broken.size > 0 && this.#broken.has(pointer(path))
  }

  /** True for a value that has not the form of its field, or is inside one. */
  isBroken(path: Path): boolean {
    return this.#broken.size > 0 && path.some((_, i) => this.#broken.has(pointer(path.slice(0, i + 1))))
  }

  /** True if a value or a part of it has a problem. */
  hasProblemBelow(path: Path): boolean {
    return this.isBroken(path) || this.#found.some(({ path: other }) => path.every((step, i) => step === other[i]))
  }

  get hasErrors(): boolean {
    return this.#found.some(({ fault }) => fault.severity === 'error')
  }

  /** The problems in the order of their paths; indexes of lists are ordered as numbers. */
  findings(): readonly Fault[] {
    return this.#found.toSorted((a, b) => comparePaths(a.path, b.path)).map(({ fault }) => fault)
  }
}

/** Returns a locator whose paths are JSON pointers, as the reference has them. Without a text it only has paths. */
export function pointerLocator(json?: JsonText): Locator {
  return (path, options): FaultDetails => ({ ...json?.details(path, options), path: pointer(path) })
}

/** Returns a path as a JSON pointer (RFC 6901). */
export function pointer(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Returns a fault with other details, such as another path. */
export function withDetails(fault: Fault, details: FaultDetails): Fault {
  return new Fault(fault.code, fault.message, fault.verdict, { ...faultData(fault), severity: fault.severity, ...details })
}

function comparePaths(a: Path, b: Path): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left = '', right = ''] = [a[i], b[i]]
    if (left === right) continue
    if (typeof left === 'number' && typeof right === 'number') return left - right
    return String(left) < String(right) ? -1 : 1
  }
  return a.length - b.length
}
