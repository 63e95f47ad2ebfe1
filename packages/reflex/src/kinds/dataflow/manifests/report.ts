import type { Fault } from '../../../kernel/index.ts'
import { type Locator, type Path, quote } from '../../../text/index.ts'
import type { Manifest, PrimitiveKind } from '../model/manifest.ts'
import { faults } from './faults.ts'
import { RULES, type RuleSubject } from './rules.ts'

interface Violation {
  readonly rule: string
  readonly fault: Fault
}

/** Collects the rules that a manifest breaks. A rule that its kind does not have is never broken. */
export class ManifestReport {
  readonly manifest: Manifest
  readonly kind: PrimitiveKind
  readonly #locate: Locator
  readonly #violations: Violation[] = []

  constructor(manifest: Manifest, kind: PrimitiveKind, locate: Locator) {
    this.manifest = manifest
    this.kind = kind
    this.#locate = locate
  }

  /** Adds a violation; `problem` completes a sentence whose subject is the primitive. */
  add(subject: RuleSubject, path: Path, problem: string, fix: string): void {
    const { code, ids } = RULES[subject]
    const rule = ids[this.kind]
    if (rule === undefined) return
    const message = `${this.kind} ${quote(this.manifest.id)} ${problem}`
    const details = { ...(rule === 'own' ? {} : { rule }), ...this.#locate(path), fix }
    this.#violations.push({ rule, fault: faults.finding(code, message, details) })
  }

  /** Adds a violation for each name that occurs again. */
  addRepeats(subject: RuleSubject, places: readonly (readonly [name: string, path: Path])[], noun: string): void {
    const seen = new Set<string>()
    for (const [name, path] of places) {
      if (seen.has(name)) this.add(subject, path, `has ${noun} ${quote(name)} twice`, 'rename or remove one of the two')
      seen.add(name)
    }
  }

  /** The faults in the order of the numbers of their rules; those without a rule come last. */
  faults(): Fault[] {
    const number = ({ rule }: Violation) => (rule === 'own' ? Number.POSITIVE_INFINITY : Number(rule.slice(4)))
    return this.#violations.toSorted((a, b) => (number(a) === number(b) ? 0 : number(a) - number(b))).map(({ fault }) => fault)
  }
}
