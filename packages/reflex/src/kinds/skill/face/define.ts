/** A manifest as its author writes it, for programs in TypeScript: all of `docs/kinds/skill.md`, checked when it is read. */
export interface SkillDocument {
  readonly id: string
  readonly version: string
  readonly owner: string
  readonly compat: Readonly<Record<string, string | readonly string[]>>
  readonly signature: object
  readonly plan: object
  readonly [key: string]: unknown
}

/** Returns a manifest as it is given: its keys are known to the editor. */
export function skill(manifest: SkillDocument): SkillDocument {
  return manifest
}
