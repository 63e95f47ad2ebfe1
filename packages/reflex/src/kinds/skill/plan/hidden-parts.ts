import type { Path } from '../../../text/index.ts'
import type { BoundSkill } from '../gate/skill.ts'
import type { CompiledCall, CompiledStep } from '../manifest/compiled.ts'
import type { CompiledValue, PlacedValue } from '../templates/compiled-value.ts'
import type { HiddenPaths, PlannedCall } from './compiled-plan.ts'

/** Returns what a call of a plan hides. `step`: its id, if it is a step. */
export type HiddenParts = (call: Pick<CompiledCall, 'args' | 'descriptor'>, step?: string) => Pick<PlannedCall, 'hidden'>

/**
 * Returns what the calls of a skill hide from every record: names of secrets, sensitive slots, the parts of results that become sensitive
 * outputs or that the tool declares, and the arguments that read such a part again (reference skill 1.6, 1.18).
 */
export function hiddenParts(skill: Pick<BoundSkill, 'manifest' | 'results' | 'steps'>): HiddenParts {
  const hidden = [...sensitiveOutputs(skill).flatMap(({ values }) => values.flatMap(resultPart)), ...skill.steps.flatMap(declaredParts)]
  return ({ args }, step) => {
    const reads = args.values.flatMap((one) =>
      resultPart(one).some((part) => hidden.some((other) => meet(part, other))) ? [one.place] : [],
    )
    // A name of a secret is no secret, so only the value of a sensitive text is sealed.
    const sensitive = args.marks.sensitive.filter((path) => !args.marks.secrets.some((secret) => meet(secret, path)))
    const parts: HiddenPaths = {
      ...some('secrets', args.marks.secrets),
      ...some('sealed', unique([...sensitive, ...reads])),
      ...some('seals', unique(hidden.flatMap(([id, ...path]) => (id === step ? [path] : [])))),
    }
    return Object.keys(parts).length === 0 ? {} : { hidden: parts }
  }
}

function sensitiveOutputs({ manifest, results }: Pick<BoundSkill, 'manifest' | 'results'>): readonly CompiledValue[] {
  const names = manifest.signature.outputs.filter(({ sensitive }) => sensitive).map(({ name }) => name)
  return results.filter(({ output }) => names.includes(output)).map(({ value }) => value)
}

/** The parts of the result of a step that no record may hold, as its tool says. */
function declaredParts({ step, descriptor }: CompiledStep): readonly Path[] {
  return (descriptor?.redact ?? []).map((pointer) => [step.id, ...pointer.split('/').slice(1).map(unescaped)])
}

/** A step of a JSON pointer; one that can be an index is one. */
function unescaped(text: string): string | number {
  return /^(?:0|[1-9]\d{0,6})$/.test(text) ? Number(text) : text.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The part of a result that a placeholder reads: the id of its step, and the path in its result. */
function resultPart({ piece: { reference } }: PlacedValue): readonly Path[] {
  const [id, , ...path] = reference.path
  return reference.root === 'steps' && id !== undefined ? [[id, ...path]] : []
}

/** True if one path is the other, or leads to a part of it. */
function meet(one: Path, other: Path): boolean {
  const length = Math.min(one.length, other.length)
  return one.slice(0, length).every((step, index) => step === other[index])
}

function unique(paths: readonly Path[]): readonly Path[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()]
}

function some(key: keyof HiddenPaths, paths: readonly Path[]): HiddenPaths {
  return paths.length === 0 ? {} : { [key]: paths }
}
