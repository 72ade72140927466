import { arrayEngine } from './array-engine.ts';

export default arrayEngine([
  { name: 'Ada', age: 36, city: 'London', status: 'active' },
  { name: 'Emmy', age: 53, city: 'Erlangen', status: 'active' },
  { name: 'Alan', age: 41, city: 'London', status: 'retired' },
]);
