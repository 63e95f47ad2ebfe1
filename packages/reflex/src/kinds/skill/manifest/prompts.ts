import { digest } from '../../../kernel/index.ts'
import type { Manifest } from '../model/manifest.ts'
import type { Prompts } from './check-activation.ts'

/**
 * Returns the reference of a prompt that is missing or has another text than when its manifest was registered; undefined if there is none. With
 * such a prompt the skill would be another one, so it is not eligible (reference skill 1.3).
 */
export function changedPrompt({ llm_support }: Pick<Manifest, 'llm_support'>, prompts: Prompts): string | undefined {
  const changed = llm_support.parsers.find(({ prompt_ref, prompt_sha256: pin }) => {
    const text = pin === undefined ? undefined : prompts(prompt_ref)
    return pin !== undefined && (text === undefined || digest(text) !== pin)
  })
  return changed?.prompt_ref
}
