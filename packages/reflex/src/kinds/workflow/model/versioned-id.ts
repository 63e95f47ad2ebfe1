import type { Workflow } from '../types/index.ts'

/** Returns the name of a version of a workflow; its id if it has no version. */
export function versionedId({ id, version }: Pick<Workflow, 'id' | 'version'>): string {
  return version === undefined ? id : `${id}@${version}`
}
