import type { LanguageNames } from '../../../programs/language.ts'

/** The first words of a graph in JSON that is not in a file. */
const BEGINNING = /^\ufeff?\s*\{[^{}[\]]{0,400}"kind"\s*:\s*"cluster"/

/** The files and texts that are graphs. */
export const dataflowNames: LanguageNames = {
  endings: ['.dataflow.json', '.dataflow.jsonc', '.dataflow.ts', '.dataflow.js', '.dataflow.mjs'],
  schemas: [
    {
      name: 'dataflow',
      about: 'a dataflow graph or a cluster',
      files: '*.dataflow.json',
      schema: async () => (await import('../documents/schema.ts')).clusterSchema(),
    },
    {
      name: 'dataflow-adapter',
      about: 'the contract between a graph and the world around it',
      files: '*.adapter.json',
      schema: async () => (await import('../adapter/adapter-schema.ts')).adapterSchema(),
    },
    {
      name: 'dataflow-host',
      about: "the operator's channels, routes and limits of a graph",
      files: '*.host.json',
      schema: async () => (await import('../adapter/host-schema.ts')).hostSchema(),
    },
    {
      name: 'dataflow-primitive',
      about: 'the manifest of a primitive',
      files: '*.primitive.json',
      schema: async () => (await import('../manifests/schema.ts')).manifestSchema(),
    },
    {
      name: 'dataflow-capture',
      about: 'a captured run of a graph',
      files: '*.bundle.json',
      schema: async () => (await import('../capture/bundle-schema.ts')).bundleSchema(),
    },
  ],
  owns: (text) => BEGINNING.test(text),
}
