import type { Workflow } from './types.ts'

/** The name of a version of a workflow; its id where it states none. */
export function versionedId({ id, version }: Pick<Workflow, 'id' | 'version'>): string {
  return version === undefined ? id : `${id}@${version}`
}
