import { givenFunction, type HostParts } from '../../../programs/host-parts.ts'
import type { GraphHost } from '../run/compile.ts'

/** Returns the primitives of a host. Graphs name them in versions, which their runs pin; adapters are stored with the graph. */
export function graphParts({ primitives }: GraphHost): HostParts {
  const versions = Map.groupBy(primitives, ({ manifest }) => manifest.id)
  return {
    given: () =>
      [...versions].flatMap(([id, all]) =>
        givenFunction(
          id,
          all.map(({ manifest: { version }, digest }) => (digest === undefined ? [version] : [version, digest])),
        ),
      ),
  }
}
