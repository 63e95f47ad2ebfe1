import { createModels, FREE, type Models, type ModelsOptions, simulatedModel } from '../models/index.ts'

/**
 * The models of a run that was started with `--simulate`: nothing leaves this machine. Models are simulated whatever
 * they are called; tools that change something, run commands or use the network are not called, nor is code of the host: each port
 * says what it does instead (`Port.simulate`). What only reads files here is read, and everything is judged by the policy as if it
 * were real. The first record says that a run is simulated, so no resume makes it real.
 */

/** All names of models lead to one that thinks nothing and costs nothing. */
export function simulatedModels(settings: Pick<ModelsOptions, 'host' | 'guess' | 'check'>): Models {
  const models = createModels({ ...settings, environment: {}, model: 'simulated', models: { simulated: simulatedModel() } })
  return {
    configured: true,
    name: () => 'simulated',
    price: () => FREE,
    unpricedModels: () => [],
    generate: ({ model: _model, ...request }, call) => models.generate(request, call),
  }
}
